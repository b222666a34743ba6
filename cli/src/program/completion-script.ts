const BASH = `# bash completion of aip
_aip_complete() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do COMPREPLY+=("$line"); done < <(aip __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == @files ]]; then
    COMPREPLY=($(compgen -f -- "\${COMP_WORDS[COMP_CWORD]}"))
  fi
  if declare -F __ltrim_colon_completions >/dev/null; then __ltrim_colon_completions "\${COMP_WORDS[COMP_CWORD]}"; fi
}
_aip() {
  # A capability id has colons, which bash counts as ends of words.
  local COMP_WORDBREAKS=\${COMP_WORDBREAKS//:}
  _aip_complete
}
COMP_WORDBREAKS=\${COMP_WORDBREAKS//:}
complete -F _aip aip
`;

const ZSH = `#compdef aip
_aip() {
  local -a found
  found=("\${(@f)$(aip __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ \${#found} -eq 1 && \${found[1]} == @files ]]; then _files; return; fi
  [[ -n \${found[1]} ]] && compadd -Q -- "\${found[@]}"
}
# Loaded from a folder of fpath, this file is the body of the first call.
if [[ \${funcstack[1]} == _aip ]]; then _aip "$@"; else compdef _aip aip; fi
`;

const FISH = `# fish completion of aip
function __aip_complete
  set -l words (commandline -opc) (commandline -ct)
  set -l found (aip __complete $words[2..-1] 2>/dev/null)
  if test "$found" = @files
    __fish_complete_path (commandline -ct)
  else
    printf '%s\\n' $found
  end
end
complete -c aip -f -a '(__aip_complete)'
`;

/** The script that a shell sources; it asks this program what may come next. */
export function completionScript(shell: 'bash' | 'zsh' | 'fish'): string {
  return { bash: BASH, zsh: ZSH, fish: FISH }[shell];
}
