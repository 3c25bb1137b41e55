import type { ChangeRequestId, EditableBranchId, SpaceId } from '@octavo/schema';
import ts from 'typescript';
import { expect, expectTypeOf, test } from 'vitest';
import type { Source } from '../support/sources.ts';
import { getNodes, getSources } from '../support/sources.ts';

/** Names of fields, parameters and columns that contain the id of a certain kind of object. */
const named = new Set([
  ...['space', 'organization', 'changeRequest', 'user', 'team', 'collection', 'revision'].flatMap((name) => [
    name,
    `${name}Id`,
  ]),
  ...['branch', 'author', 'createdBy', 'reviewer', 'requestedBy', 'revisionInitial', 'import'],
]);

const isTextType = (type: ts.TypeNode): boolean =>
  type.kind === ts.SyntaxKind.StringKeyword || (ts.isUnionTypeNode(type) && type.types.some(isTextType));

/** Returns the declarations with one of these names whose type is a plain string. */
const findUntypedIds = ({ path, tree }: Pick<Source, 'path' | 'tree'>): string[] =>
  [...getNodes(tree)].flatMap((node) => {
    const isNamed = ts.isPropertySignature(node) || ts.isParameter(node) || ts.isPropertyAssignment(node);
    if (!isNamed || !named.has(node.name.getText())) return [];
    const isLoose = ts.isPropertyAssignment(node)
      ? /^text\('\w+'\)(?!\.\$type)/.test(node.initializer.getText())
      : node.type !== undefined && isTextType(node.type);
    return isLoose ? [`${path}: ${node.getText()}`] : [];
  });

test('a parameter named after an ID has the matching ID type', () => {
  const mayBeLoose = new RegExp(`\\b(?:${[...named].join('|')})\\??:\\s*(?:[^;,)=]*\\bstring\\b|text\\()`);
  const sources = getSources('packages/db/src', 'packages/runtime/src', 'workers').filter(
    ({ path, text }) => !path.endsWith('.test.ts') && mayBeLoose.test(text),
  );

  expect(sources.flatMap(findUntypedIds)).toEqual([]);
});

test('the rule detects IDs typed as plain strings', () => {
  const text = `
    interface Move { space: string; branch: string | null; title: string }
    const find = (organization: string) => organization;
    const table = { user: text('user').notNull(), id: text('id') };`;

  expect(
    findUntypedIds({ path: 'x.ts', tree: ts.createSourceFile('x.ts', text, ts.ScriptTarget.Latest, true) }),
  ).toHaveLength(4);
});

test('IDs of different kinds are not assignable', () => {
  expectTypeOf<SpaceId>().not.toExtend<ChangeRequestId>();
  expectTypeOf<EditableBranchId>().not.toExtend<SpaceId>();
  expectTypeOf<SpaceId>().toExtend<EditableBranchId>();
});
