import { expect, test } from 'vitest';
import { platform } from '../support/platform.ts';
import { createCommandLine, createTemporaryFolder, octavo, writeTree } from './octavo.ts';

const sentence = expect.stringMatching(/^octavo: [^\n]+\.\n$/);

const groups = {
  integration: ['init', 'publish', 'dev', 'tail', 'unpublish'],
  webhook: ['list', 'test', 'deliveries', 'listen'],
};

test.each(Object.entries(groups))(
  'octavo %s without a subcommand lists the subcommands, and --help explains them',
  async (group, names) => {
    for (const typed of [[group], [group, 'nothing']]) {
      const { code, stdout, stderr } = await octavo({}, ...typed);
      expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: sentence });
      expect(stderr).toContain(names.join(', '));
    }
    const help = await octavo({}, group, '--help');
    expect(help).toMatchObject({ code: 0, stderr: '' });
    expect([...help.stdout.matchAll(/^ {2}octavo \w+ (\w+)/gm)].map(([, name]) => name)).toEqual(names);
  },
);

const all = Object.entries(groups).flatMap(([group, names]) => names.map((name) => [group, name] as const));

test.each(all)('octavo %s %s prints its usage, and rejects unknown arguments', async (...command) => {
  const help = await octavo({}, ...command, '--help');
  expect(help).toEqual({ code: 0, stderr: '', stdout: expect.stringContaining(`  octavo ${command.join(' ')}`) });
  for (const typed of [['--nope'], ['a', 'b', 'c']])
    expect(await octavo({}, ...command, ...typed)).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^octavo: [^\n]+\n$/),
    });
});

const sample = {
  'integration.yaml': 'name: not-published\ntitle: Sample\nscript: index.ts\n',
  'index.ts': "export default { fetch: () => new Response('here') };",
};

const onServer = ['integration publish', 'integration dev', 'integration tail', 'integration unpublish'].concat(
  ...['webhook list', 'webhook test', 'webhook deliveries'],
);

/** Returns the arguments of a complete command line. */
async function completeArguments(command: string): Promise<string[]> {
  const words = command.split(' ');
  if (['publish', 'dev'].includes(words[1] ?? '')) return [...words, await writeTree(sample)];
  return words[1] === 'list' ? words : [...words, 'not-published'];
}

test.each(onServer)('octavo %s reports an invalid token', async (command) => {
  const args = await completeArguments(command);
  const wrong = await octavo({ OCTAVO_URL: platform().url, OCTAVO_TOKEN: 'oct_made_up' }, ...args);
  expect(wrong).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /^octavo: The server rejected the request: This token is unknown, expired or revoked\. \(request \S+\)\n$/,
    ),
  });
});

test.each(onServer.filter((command) => !['integration publish', 'webhook list'].includes(command)))(
  'octavo %s names the object that it does not find',
  async (command) => {
    const { env } = await createCommandLine();
    const { code, stderr } = await octavo(env, ...(await completeArguments(command)));
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^octavo: The \w+ "?not-published"? [^\n]+\.\n$/)]);
  },
);

test.each(['publish', 'dev'])(
  'octavo integration %s reports a missing folder, and a missing or invalid manifest',
  async (name) => {
    const { env } = await createCommandLine();
    const run = (folder: string) => octavo(env, 'integration', name, folder);
    const empty = await createTemporaryFolder();
    const wrong = await writeTree({ ...sample, 'integration.yaml': 'name: a\ntitle: 5\nscript: index.ts\n' });
    for (const [folder, message] of [
      [`${empty}/none`, `The folder or file ${empty}/none does not exist.`],
      [empty, `${empty} contains no manifest integration.yaml`],
      [wrong, `${wrong}/integration.yaml, line 2, column 8: \`title\` `],
    ] as const)
      expect(await run(folder)).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining(`octavo: ${message}`),
      });
  },
);

test('reports that there are no webhooks and deliveries', async () => {
  const { env } = await createCommandLine();
  expect(await octavo(env, 'webhook', 'list')).toEqual({ code: 0, stdout: 'There are no webhooks.\n', stderr: '' });
  expect(await octavo(env, 'webhook', 'list', '--json')).toEqual({ code: 0, stdout: '[]\n', stderr: '' });
});
