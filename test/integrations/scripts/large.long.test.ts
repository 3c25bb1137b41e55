import { expect, test } from 'vitest';
import { platform } from '../../support/platform.ts';
import { getScript } from '../../support/script-host.ts';
import { publishScript } from './scripted.ts';

const server = platform();
const maxScriptLength = 5 * 1024 * 1024;

const createScriptOfLength = (length: number): string => {
  const script = getScript(`return new Response(String(filling.length));`);
  const rest = length - script.length - 'const filling = "";'.length;
  return `const filling = "${'x'.repeat(rest)}";${script}`;
};

test('runs a script of 5 MB, and rejects a larger one', async () => {
  const { name } = await publishScript(server, createScriptOfLength(maxScriptLength));
  const response = await server.request(`/integrations/${name}`);
  expect([response.status, Number(await response.text()) > 5_000_000]).toEqual([200, true]);

  await expect(publishScript(server, createScriptOfLength(maxScriptLength + 1))).rejects.toThrow(/4(?:00|13)/);
});

test('a script with thousands of timers returns its response, and so does its next run', async () => {
  const code = `let rung = 0;
    for (let at = 0; at < 1000; at += 1) setTimeout(() => { rung += 1; }, at % 50);
    for (let at = 0; at < 1000; at += 1) setTimeout(() => {}, 3_600_000);
    await new Promise((resolve) => setTimeout(resolve, 200));
    return new Response(String(rung));`;
  const { name } = await publishScript(server, getScript(code));
  for (let run = 0; run < 2; run += 1) {
    const response = await server.request(`/integrations/${name}`);
    expect([response.status, await response.text()]).toEqual([200, '1000']);
  }
});
