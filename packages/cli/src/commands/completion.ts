import { createMisuseError } from '../failure.ts';
import { type Command, type CommandTable, getOptions, type Option, printResult } from './command.ts';

/** A command with its name, of one or two words. */
type Named = Command & { name: string };

const scripts: Record<string, (commands: Named[]) => string> = { bash: toBash, zsh: toZsh, fish: toFish };

export const completion: Command = {
  summary: 'Print a script for shell completion',
  arguments: ['<bash|zsh|fish>'],
  options: {},
  json: { fields: ['shell', 'script'] },
  run: async (input, terminal, table) => {
    const [shell = ''] = input.positionals;
    const toScript = Object.hasOwn(scripts, shell) ? scripts[shell] : undefined;
    if (!toScript)
      throw createMisuseError(`The shell ${shell} is not supported. Use one of: ${Object.keys(scripts).join(', ')}.`);
    const script = toScript(await load(table));
    printResult(terminal, input, { shell, script }, script.trimEnd());
    return 0;
  },
};

const load = (table: CommandTable): Promise<Named[]> =>
  Promise.all(Object.entries(table).map(async ([name, get]) => ({ name, ...(await get()) })));

/**
 * Returns the first words of all commands. Each has the summary of its command, or the second words if it names a
 * group.
 */
function listFirstWords(commands: Named[]): { word: string; description: string; next: Named[] }[] {
  const groups = Map.groupBy(commands, ({ name }) => name.split(' ')[0] ?? '');
  return [...groups].map(([word, group]) => {
    const next = group.filter(({ name }) => name !== word);
    const own = group.find(({ name }) => name === word);
    return { word, description: own?.summary ?? next.map(({ name }) => name.slice(word.length + 1)).join(', '), next };
  });
}

const getSecondWord = ({ name }: Named): string => name.split(' ')[1] ?? '';

const listOptions = (command: Named): [string, Option][] => Object.entries(getOptions(command));

const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** Creates the bash completion script. If there are no words to suggest, bash completes file names. */
function toBash(commands: Named[]): string {
  const firstWords = listFirstWords(commands);
  const values = commands.flatMap((command) =>
    listOptions(command).flatMap(([option, { type, choices = [] }]) =>
      type === 'string' ? [`    ${quote(`${command.name} --${option}`)}) words=${quote(choices.join(' '))} ;;`] : [],
    ),
  );
  const options = commands.map((command) => {
    const names = listOptions(command).map(([option]) => `--${option}`);
    const isOption = command.arguments.length > 0 ? '[[ $current == -* ]] && ' : '';
    return `      ${quote(command.name)}) ${isOption}words=${quote(names.join(' '))} ;;`;
  });
  const second = firstWords.flatMap(({ word, next }) =>
    next.length === 0 ? [] : [`      ${quote(word)}) words+=${quote(` ${next.map(getSecondWord).join(' ')}`)} ;;`],
  );
  const twoWords = commands.flatMap(({ name }) => (name.includes(' ') ? [quote(name)] : []));
  return `_octavo() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD - 1]}" name="\${COMP_WORDS[1]}" words=''
  if [[ $COMP_CWORD -gt 2 ]]; then
    case "$name \${COMP_WORDS[2]}" in
      ${twoWords.join(' | ')}) name="$name \${COMP_WORDS[2]}" ;;
    esac
  fi
  case "$name $previous" in
${values.join('\n')}
    *)
      case "$name" in
${options.join('\n')}
      esac
      if [[ $COMP_CWORD -eq 1 ]]; then words=${quote([...firstWords.map(({ word }) => word), '--help', '--version'].join(' '))}; fi
      if [[ $COMP_CWORD -eq 2 ]]; then
      case "$name" in
${second.join('\n')}
      esac
      fi
      ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _octavo octavo
`;
}

const describeZsh = (entries: [string, string][]): string =>
  entries.map(([word, description]) => quote(`${word}:${description}`)).join(' ');

function toZsh(commands: Named[]): string {
  const firstWords = listFirstWords(commands);
  const second = firstWords.flatMap(({ word, next }) => {
    const entries = next.map((command): [string, string] => [getSecondWord(command), command.summary]);
    return next.length === 0 ? [] : [`      ${word}) entries=(${describeZsh(entries)}) ;;`];
  });
  const options = commands.map((command) => {
    const specs = listOptions(command).map(([option, { multiple, value, choices, description }]) => {
      const text = description.replace(/[[\]\\:]/g, '\\$&');
      const values = choices === undefined ? '_files' : `(${choices.join(' ')})`;
      return quote(`${multiple ? '*' : ''}--${option}[${text}]${value === undefined ? '' : `:value:${values}`}`);
    });
    return `    ${quote(command.name)}) _arguments ${specs.join(' ')} '*:file:_files' ;;`;
  });
  const first = firstWords.map(({ word, description }): [string, string] => [word, description]);
  return `#compdef octavo
_octavo() {
  local -a entries
  local name=$words[2]
  if (( CURRENT == 2 )); then
    entries=(${describeZsh(first)})
    _describe command entries
    return
  fi
  if (( CURRENT == 3 )); then
    case $name in
${second.join('\n')}
    esac
    if (( $#entries )); then _describe command entries; fi
  else
    case "$name $words[3]" in
      ${commands.flatMap(({ name }) => (name.includes(' ') ? [quote(name)] : [])).join(' | ')}) name="$name $words[3]" ;;
    esac
  fi
  case $name in
${options.join('\n')}
  esac
}
compdef _octavo octavo
`;
}

const quoteFish = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`;

function toFish(commands: Named[]): string {
  const firstWords = listFirstWords(commands);
  const first = firstWords.map(
    ({ word, description }) => `complete -c octavo -f -n '__octavo_words 1' -a ${word} -d ${quoteFish(description)}`,
  );
  const second = firstWords.flatMap(({ word, next }) =>
    next.map(
      (command) =>
        `complete -c octavo -f -n '__octavo_words 2 ${word}' -a ${getSecondWord(command)} -d ${quoteFish(command.summary)}`,
    ),
  );
  const options = commands.flatMap((command) =>
    listOptions(command).map(([option, { type, choices, description }]) => {
      const value = choices === undefined ? '-r' : `-x -a ${quoteFish(choices.join(' '))}`;
      const parts = [`-l ${option}`, ...(type === 'string' ? [value] : []), `-d ${quoteFish(description)}`];
      return `complete -c octavo -n '__octavo_command ${command.name}' ${parts.join(' ')}`;
    }),
  );
  return `function __octavo_command
    set -l words (commandline -opc)
    set -l last (math (count $argv) + 1)
    test "$words[2..$last]" = "$argv"
end
function __octavo_words
    set -l words (commandline -opc)
    test (count $words) -eq $argv[1]; and test "$words[2]" = "$argv[2]"
end
${[...first, ...second, ...options].join('\n')}
`;
}
