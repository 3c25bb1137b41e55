import { expect, test } from 'vitest';
import { publishScript } from '../integrations/scripts/scripted.ts';
import { platform } from '../support/platform.ts';
import { getScript } from '../support/script-host.ts';
import { octavo } from './octavo.ts';

const server = platform();
const steering = '\u001b]0;owned\u0007\u001b[2J\u009b2J\u007f\r\b';
// biome-ignore lint/suspicious/noControlCharactersInRegex: the test searches for control characters.
const steers = /(?!\n|\t)[\u0000-\u001f\u007f-\u009f]/;

test("text that a third party writes to a script log cannot control the developer's terminal", async () => {
  const script = getScript(`const said = decodeURIComponent(new URL(event.request.url).search.slice(1));
    console.log(said);
    throw new Error(said);`);
  const { name, owner } = await publishScript(server, script);
  await fetch(`${server.url}/integrations/${name}?${encodeURIComponent(`${steering}a\n2026 success fetch`)}`);
  const env = { OCTAVO_URL: server.url, OCTAVO_TOKEN: owner.token };

  const { stdout } = await octavo(env, 'integration', 'tail', name, '--once');
  expect(stdout).toContain('\\u001b]0;owned\\u0007\\u001b[2J\\u009b2J\\u007f\\u000d\\u0008a\n    2026 success fetch');
  expect(stdout).not.toMatch(steers);
  const { stdout: asJson } = await octavo(env, 'integration', 'tail', name, '--once', '--json');
  expect(asJson).not.toMatch(steers);
  expect(JSON.parse(asJson).trace.logs[0].message).toContain(steering);
});

test("text that a third party writes into an error cannot control the developer's terminal", async () => {
  const { token } = await server.makeOrganization();
  const env = { OCTAVO_URL: server.url, OCTAVO_TOKEN: token };
  const { stderr } = await octavo(env, 'integration', 'unpublish', `none${steering}`);
  expect(stderr).toContain('none\\u001b]0;owned');
  expect(stderr).not.toMatch(steers);
});
