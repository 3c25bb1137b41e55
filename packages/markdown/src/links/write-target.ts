import type { TargetStyle } from './occurrence.ts';

const ENTITY = /&(?=#|[a-zA-Z])/g;
const ABSOLUTE = /^[a-zA-Z][a-zA-Z\d+.-]{1,31}:[^\s<>]*$/;
const PLAIN_YAML = /^[\w./][\w./ -]*(?<! )$/;

/** A target as it is to be written; reading it gives the target back. `was` is what is written there now. */
export function writeTarget(target: string, style: TargetStyle, was: string): string {
  if (style === 'destination') return destination(target, was.startsWith('<'));
  if (style === 'attribute') return entities(target, /["'<>`|=\s]/g);
  if (style === 'yaml') return yaml(target, was);
  if (style === 'plain') return percent(target);
  return ABSOLUTE.test(target) ? target : percent(target);
}

function destination(target: string, isAngled: boolean): string {
  if (target === '' || isAngled || /[ ()]/.test(target)) return `<${entities(target, /[<>`|\\\n\r\t]/g)}>`;
  return entities(target, /[<>`|\\\s]/g);
}

/** The characters of the pattern, and what would read as one, as HTML entities. */
const entities = (text: string, characters: RegExp): string =>
  text.replace(ENTITY, '&amp;').replace(characters, (character) => `&#${character.codePointAt(0)};`);

/** For places that know no escapes: what would end the target there is written as an address writes it. */
const percent = (text: string): string =>
  text.replace(/["`<>\s]|%(?=\})/g, (character) => encodeURIComponent(character));

function yaml(target: string, was: string): string {
  const end = /\r?\n$/.exec(was)?.[0] ?? '';
  const isPlain =
    PLAIN_YAML.test(target) && /^[a-zA-Z./]/.test(target) && !/^(?:true|false|null|yes|no)$/i.test(target);
  return `${isPlain && !/^["']/.test(was) ? target : JSON.stringify(target)}${end}`;
}
