import type { Database } from '@octavo/db';
import type { DocumentTree } from '@octavo/markdown';
import { evaluateTree, includesOf, parseTree, renderTree } from '@octavo/markdown';
import type { Node } from '@octavo/merge';
import type { PageContentQuery } from '@octavo/schema';
import { pageFields } from '../nodes/stored-node.ts';
import { includedContents, includeTarget } from './included-contents.ts';

type Format = PageContentQuery['format'];

/** A text in the format that is asked for. */
export const bodyOf = (markdown: string, format: Format): { markdown: string } | { document: DocumentTree } =>
  format === 'document' ? { document: parseTree(markdown) } : { markdown };

interface Reading {
  db: Database;
  lineage: string;
  page: Node;
  variables: Node[];
  format: Format;
}

/** The text of a page with its expressions, conditions and includes evaluated; one round trip more where it includes something. */
export async function readEvaluated(markdown: string, { db, lineage, page, variables, format }: Reading) {
  const tree = parseTree(markdown);
  const targetOf = (address: string) => includeTarget(page, address);
  const contents = await includedContents(
    db,
    lineage,
    includesOf(tree).flatMap((address) => targetOf(address) ?? []),
  );
  const vars = Object.fromEntries(variables.map((node) => [node.id, node.fields.value ?? null]));
  const scope = { space: { vars }, page: { vars: pageFields(page).variables ?? {} }, visitor: { claims: {} } };
  const evaluated = evaluateTree(tree, { scope, targetOf, contents });
  return format === 'document' ? { document: evaluated } : { markdown: renderTree(evaluated) };
}
