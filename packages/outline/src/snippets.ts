const maxOfPage = 500;

/** `<<< @/a.js{1,3}` of VitePress, alone on its line; its include of a page stands in a comment. */
const fenced = /^[ \t]{0,20}<<<[ \t]{0,20}(\S[^\n]{0,500})$/;
const commented = /<!--[ \t]{0,20}@include:[ \t]{0,20}([^\n]{1,500}?)[ \t]{0,20}-->/g;
/** `{{#include a.rs:2:5}}` and what else mdBook includes. */
const braced =
  /\{\{#(?:rustdoc_include|include|playground|playpen)[ \t]{1,20}([^\s{}]{1,500})(?:[ \t][^\n{}]{0,200})?\}\}/g;
/** `--8<-- "a.py:3"`, or on lines of their own between two such marks. */
const scissors = /^[ \t]{0,40};?-{1,10}8<-{1,10}(?:[ \t]{1,20}["']([^"'\n]{1,500})["'])?[ \t]{0,20}$/;

/** The addresses of the files that a page asks its generator to include, as they are written but for what names a part. */
export function snippetsOf(text: string): string[] {
  if (!/<<<|\{\{#|8<-|@include:/.test(text)) return [];
  const found = new Set<string>();
  let isBlock = false;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const cut = scissors.exec(line);
    if (cut !== null && cut[1] === undefined) isBlock = !isBlock;
    const inBlock = isBlock && cut === null ? line.trim() : '';
    const written = [
      fenced.exec(line)?.[1],
      ...[...line.matchAll(commented), ...line.matchAll(braced)].map(([, path]) => path),
      cut?.[1],
      inBlock.slice(0, 500),
    ];
    for (const each of written) if (each && found.size < maxOfPage) found.add(withoutPart(each));
  }
  return [...found].filter((address) => address !== '');
}

/** Lines and parts are named after the path: `:2:5`, `:name`, `#region`, `{1,3}`. */
const withoutPart = (written: string): string => written.replace(/(?:[:#{]|[ \t]\[).*$/, '').trim();
