import { createRemoteOperator } from '@octavo/platform';
import { expect, test } from 'vitest';
import { describeAccount } from './account-state.ts';
import { createRelease, createTemporaryFolder, findScript, runDeploy, settings } from './deployments.ts';
import { FakeCloudflare } from './fake-cloudflare.ts';

const createCell = (cell: string) => ({ ...settings, prefix: `octavo-${cell}`, cell });

test('two cells have the same URLs and no routes, because a directory calls their gateways', async () => {
  const fake = new FakeCloudflare();
  const folder = createTemporaryFolder();
  const cells = ['eu', 'us'].map(createCell);
  for (const cell of cells) {
    const { printed } = await runDeploy(fake, { folder, settings: cell });
    expect(printed).toContain(`The cell ${cell.cell} is deployed.`);
    expect((await runDeploy(fake, { folder, settings: cell })).writes).toEqual([]);
  }
  const { routes, domains, databases } = describeAccount(fake);
  const getUrls = (name: string) =>
    findScript(fake, name).versions[0]?.bindings.flatMap((each) =>
      each.name === 'OCTAVO_PUBLIC_URL' ? each.text : [],
    );

  expect([routes, domains]).toEqual([[], []]);
  expect(databases.map(({ name }) => name)).toEqual(['octavo-eu', 'octavo-us']);
  expect(cells.map(({ prefix }) => getUrls(`${prefix}-gateway`))).toEqual([[settings.api], [settings.api]]);
});

test('requests that name the cell test its new versions', async () => {
  const fake = new FakeCloudflare();
  const folder = createTemporaryFolder();
  const cell = createCell('eu');
  await runDeploy(fake, { folder, settings: cell });
  const sent: (string | null)[] = [];
  const paths: string[] = [];
  const visit = async (url: unknown, init?: RequestInit) => {
    sent.push(new Headers(init?.headers).get('octavo-cell'));
    paths.push(new URL(String(url)).pathname);
    return new Response('', { status: 404 });
  };
  const release = createRelease({ gateway: 'changed', content: 'changed', operator: 'changed' });
  const { printed } = await runDeploy(fake, { folder, settings: cell, release, fetch: visit });

  expect(sent.length).toBeGreaterThan(0);
  expect(new Set(sent)).toEqual(new Set(['eu']));
  // The directory accepts the name of a cell for these paths only.
  for (const path of paths) expect(path).toMatch(/^\/(?:v1|health)$|\/smoke-test(?:\/|$)/);
  expect(printed).toContain('octavo-eu-gateway could not be tested before it serves requests');
});

test('commands for operators name the cell', async () => {
  const sent: (string | null)[] = [];
  const send = async (_: unknown, init?: RequestInit) => {
    sent.push(new Headers(init?.headers).get('octavo-cell'));
    return Response.json({ letters: [], count: 0, time: 1 });
  };
  for (const cell of ['eu', ''])
    await createRemoteOperator({ url: settings.api, secret: 'a secret of the cell', cell }, send)('/dead-letters');

  expect(sent).toEqual(['eu', null]);
});
