class GuardHost < Formula
  desc "Hook that a coding agent asks before each tool call"
  homepage "https://github.com/@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

@BLOCKS@

  def install
    bin.install "guard-host", "guard-host-tools"
    bash_completion.install "completions/guard-host.bash" => "guard-host"
    zsh_completion.install "completions/_guard-host"
    fish_completion.install "completions/guard-host.fish"
    man1.install Dir["man/*.1"]
  end

  test do
    assert_match "guard-host #{version}", shell_output("#{bin}/guard-host --version")
  end
end
