import { Miniflare } from 'miniflare';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { getNodes, getSources } from '../support/sources.ts';

/** Methods that neither use Miniflare's proxy nor block this thread while they wait for the runtime. */
const asynchronous = ['constructor', 'ready', 'dispose', 'dispatchFetch'];
const proxied = Object.getOwnPropertyNames(Miniflare.prototype).filter((name) => !asynchronous.includes(name));
const blocking = ['Atomics', 'execFileSync', 'execSync', 'receiveMessageOnPort', 'spawnSync'];

const sources = getSources('packages/platform/src', 'packages/cli/src', 'scripts', 'test/support');

function getUses(names: string[]): string[] {
  const naming = sources.filter(({ text }) => names.some((name) => text.includes(name)));
  return naming.flatMap(({ path, tree }) =>
    [...getNodes(tree)].filter(ts.isIdentifier).flatMap((node) => {
      const isMember = ts.isPropertyAccessExpression(node.parent) || ts.isBindingElement(node.parent);
      const isCalled = ts.isCallExpression(node.parent) && node.parent.expression === node;
      return (isMember || isCalled) && names.includes(node.text) ? [`${path}: ${node.text}`] : [];
    }),
  );
}

test('the list of proxied calls contains the calls of the installed Miniflare version', () => {
  for (const name of ['getWorker', 'getBindings', 'getD1Database', 'getR2Bucket', 'getQueueProducer', 'getCaches'])
    expect(proxied).toContain(name);
});

test('no call from Node into the runtime blocks the thread', () => {
  expect(getUses([...proxied, ...blocking])).toEqual([]);
});
