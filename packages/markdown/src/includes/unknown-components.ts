import { drawsImage } from '../tree/attributes.ts';
import { getTagMeaning } from '../tree/dialects.ts';
import { findImportedComponents } from './component-uses.ts';

const used = /<([A-Z][\w.]{0,99})(?=[\s/>])/g;
/** Components that other code handles, or that only contain other components. */
const others = /^(?:CodeBlock|Code|Link|LinkButton|NavLink|Button|Fragment|React\.Fragment)$/;
const fence = /^[ \t>]{0,40}(`{3,}|~{3,})/;
const codeSpan = /`[^`]{0,1000}`/g;
const maxNames = 20;

/** Returns the names of the components in an MDX page that have no known meaning and are not imported markdown. */
export function findUnknownComponents(markdown: string): string[] {
  const imported = findImportedComponents(markdown);
  const unknownNames = new Set<string>();
  let open: string | undefined;
  for (const line of markdown.split('\n')) {
    const mark = fence.exec(line)?.[1];
    if (mark !== undefined && open === undefined) open = mark;
    else if (mark !== undefined && open !== undefined && mark.startsWith(open)) open = undefined;
    if (open !== undefined || !line.includes('<')) continue;
    for (const [, name = ''] of line.replace(codeSpan, '').matchAll(used))
      if (unknownNames.size < maxNames && !imported.has(name) && !isKnown(name)) unknownNames.add(name);
  }
  return [...unknownNames];
}

const isKnown = (name: string): boolean =>
  others.test(name) ||
  drawsImage(name) ||
  getTagMeaning({ name, attributes: [], closes: false, isEmpty: true, end: 0 }) !== undefined;
