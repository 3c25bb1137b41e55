import { c, clike, cpp, csharp, dart, java, kotlin, objectiveC, scala } from '@codemirror/legacy-modes/mode/clike';
import { css, less, sCSS } from '@codemirror/legacy-modes/mode/css';
import { diff } from '@codemirror/legacy-modes/mode/diff';
import { dockerFile } from '@codemirror/legacy-modes/mode/dockerfile';
import { go } from '@codemirror/legacy-modes/mode/go';
import { groovy } from '@codemirror/legacy-modes/mode/groovy';
import { haskell } from '@codemirror/legacy-modes/mode/haskell';
import { http } from '@codemirror/legacy-modes/mode/http';
import { javascript, json, typescript } from '@codemirror/legacy-modes/mode/javascript';
import { lua } from '@codemirror/legacy-modes/mode/lua';
import { nginx } from '@codemirror/legacy-modes/mode/nginx';
import { powerShell } from '@codemirror/legacy-modes/mode/powershell';
import { properties } from '@codemirror/legacy-modes/mode/properties';
import { protobuf } from '@codemirror/legacy-modes/mode/protobuf';
import { python } from '@codemirror/legacy-modes/mode/python';
import { ruby } from '@codemirror/legacy-modes/mode/ruby';
import { rust } from '@codemirror/legacy-modes/mode/rust';
import { shell } from '@codemirror/legacy-modes/mode/shell';
import { mySQL, pgSQL, standardSQL } from '@codemirror/legacy-modes/mode/sql';
import { swift } from '@codemirror/legacy-modes/mode/swift';
import { html, xml } from '@codemirror/legacy-modes/mode/xml';
import { yaml } from '@codemirror/legacy-modes/mode/yaml';
import type { StreamParser } from '@codemirror/streamparser';

const toWordSet = (words: string): Record<string, boolean> =>
  Object.fromEntries(words.split(/\s+/).map((word) => [word, true]));

const php = clike({
  name: 'php',
  keywords: toWordSet(
    `abstract and array as break case catch class clone const continue declare default do echo else elseif enum extends
     final finally fn for foreach function global if implements include instanceof insteadof interface match namespace new
     or print private protected public readonly require require_once return static switch throw trait try use var while
     xor yield`,
  ),
  blockKeywords: toWordSet('catch do else elseif for foreach if switch try while finally'),
  atoms: toWordSet('true false null TRUE FALSE NULL'),
  multiLineStrings: true,
  hooks: {
    $: (stream: { eatWhile(match: RegExp): boolean }) => {
      stream.eatWhile(/[\w$]/);
      return 'variableName';
    },
    '#': (stream: { skipToEnd(): void }) => {
      stream.skipToEnd();
      return 'comment';
    },
  },
});

type Parser = StreamParser<unknown>;

/** The parsers and the language names that code fences use. */
const languageNames: [Parser, string][] = [
  [javascript, 'javascript js jsx mjs cjs node'],
  [typescript, 'typescript ts tsx mts cts'],
  [json, 'json json5 jsonc jsonl'],
  [python, 'python py python3 pycon'],
  [shell, 'bash sh shell zsh console terminal shell-session fish'],
  [css, 'css postcss'],
  [sCSS, 'scss sass'],
  [less, 'less'],
  [html, 'html htm vue svelte astro handlebars hbs'],
  [xml, 'xml svg xsd xslt plist'],
  [yaml, 'yaml yml'],
  [go, 'go golang'],
  [rust, 'rust rs'],
  [standardSQL, 'sql'],
  [mySQL, 'mysql mariadb'],
  [pgSQL, 'postgres postgresql pgsql plpgsql'],
  [ruby, 'ruby rb'],
  [dockerFile, 'dockerfile docker containerfile'],
  [diff, 'diff patch'],
  [powerShell, 'powershell ps1 pwsh'],
  [lua, 'lua'],
  [swift, 'swift'],
  [properties, 'ini properties env dotenv conf editorconfig toml'],
  [nginx, 'nginx'],
  [http, 'http'],
  [protobuf, 'protobuf proto'],
  [c, 'c h'],
  [cpp, 'cpp c++ cc hpp arduino'],
  [csharp, 'csharp cs c#'],
  [java, 'java'],
  [kotlin, 'kotlin kt kts'],
  [scala, 'scala'],
  [dart, 'dart'],
  [objectiveC, 'objectivec objective-c objc'],
  [php, 'php'],
  [groovy, 'groovy gradle'],
  [haskell, 'haskell hs'],
] as [Parser, string][];

/** The parsers by language name. */
export const languages: ReadonlyMap<string, Parser> = new Map(
  languageNames.flatMap(([parser, names]) => names.split(' ').map((name): [string, Parser] => [name, parser])),
);

export { StringStream } from '@codemirror/streamparser';
