/** What a shell loads to complete command lines of tidewatch. Each asks `tidewatch __complete`, which knows everything else. */
export const SHELL_SCRIPTS: Readonly<Record<'bash' | 'zsh' | 'fish', string>> = {
  bash: `# bash completion for tidewatch. Load it with: source <(tidewatch completion bash)
_tidewatch() {
  local -a words=()
  local i count=0 glue=0 word candidate current prefix
  COMPREPLY=()
  # bash splits words at "=" and ":"; here they are whole again.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $count -gt 0 && ( $word == "=" || $word == ":" ) ]]; then
      words[count-1]+=$word
      glue=1
    elif [[ $glue == 1 ]]; then
      words[count-1]+=$word
      glue=0
    else
      words[count]=$word
      count=$((count + 1))
    fi
  done
  current=\${COMP_WORDS[COMP_CWORD]}
  [[ $current == "=" || $current == ":" ]] && current=""
  prefix=\${words[count-1]%"$current"}
  while IFS=$'\\t' read -r candidate _; do
    if [[ $candidate == ":files" ]]; then
      compopt -o default 2>/dev/null
    else
      COMPREPLY+=("\${candidate#"$prefix"}")
    fi
  done < <(tidewatch __complete -- "\${words[@]}" 2>/dev/null)
}
complete -F _tidewatch tidewatch
`,
  zsh: `#compdef tidewatch
# zsh completion for tidewatch. Load it with: source <(tidewatch completion zsh)
_tidewatch() {
  local line files=0
  local -a lines candidates
  lines=("\${(@f)$(tidewatch __complete -- "\${(@Q)words[2,CURRENT]}" 2>/dev/null)}")
  for line in "\${lines[@]}"; do
    if [[ $line == ":files" ]]; then
      files=1
    elif [[ -n $line ]]; then
      local value=\${line%%$'\\t'*} about=""
      [[ $line == *$'\\t'* ]] && about=\${line#*$'\\t'}
      candidates+=("\${value//:/\\\\:}\${about:+:$about}")
    fi
  done
  (( \${#candidates} )) && _describe -V tidewatch candidates
  (( files )) && _files
}
(( $+functions[compdef] )) && compdef _tidewatch tidewatch
`,
  fish: `# fish completion for tidewatch. Load it with: tidewatch completion fish | source
function __tidewatch_complete
  set -l words (commandline -opc) (commandline -ct)
  set -e words[1]
  for line in (tidewatch __complete -- $words 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path (commandline -ct)
    else
      echo $line
    end
  end
end
complete -c tidewatch -f -a '(__tidewatch_complete)'
`,
};
