# A formula for Homebrew. It builds the archive that `meson dist -C build --no-tests` makes, which lies
# beside it:
#
#   brew tap-new own/tap
#   cp assets/packaging/attnscope.rb build/meson-dist/attnscope-*.tar.xz "$(brew --repository own/tap)/Formula/"
#   brew install own/tap/attnscope
class Attnscope < Formula
  desc "See multi-head attention happen, number by number"
  homepage "file://#{__dir__}"
  url "file://#{__dir__}/attnscope-0.1.0.tar.xz"
  license "MIT"

  depends_on "meson" => :build
  depends_on "ninja" => :build
  depends_on "pkgconf" => :build
  depends_on "cairo"
  depends_on "check"
  depends_on "cmark"
  depends_on "fontconfig"
  depends_on "freetype"
  depends_on "fribidi"
  depends_on "harfbuzz"
  depends_on "jansson"
  depends_on "libarchive"
  depends_on "libpng"
  depends_on "libyaml"
  depends_on "libzip"
  depends_on "ncurses"
  depends_on "nettle"
  depends_on "oniguruma"
  depends_on "sdl2"
  depends_on "utf8proc"

  on_linux do
    depends_on "libseccomp"
    depends_on "wayland"
  end

  def install
    system "meson", "setup", "build", "-Dtests=false", "-Dstatic=false", *std_meson_args
    system "meson", "compile", "-C", "build", "--verbose"
    system "meson", "install", "-C", "build"
  end

  test do
    assert_match "output_projection", shell_output("#{bin}/attnscope print padded-batch")
    assert_match version.to_s, shell_output("#{bin}/attnscope --version")
    system bin/"attnscope", "init", "work"
    cp Dir[share/"attnscope/lessons/exercises/*-scale/solution.c"].first, "work/exercises/scale.c"
    system bin/"attnscope", "check", "scale", "--dir", "work"
  end
end
