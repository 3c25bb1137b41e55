import { runInNewContext } from 'node:vm';
import analytics from '@octavo/analytics';
import { expect, test } from 'vitest';
import { callScript } from './call-script.ts';

const scopes = ['site:script:inject', 'site:script:cookies'];
const configured = { script_url: 'https://stats.example/a.js', id: 'ID-1' };
const load = (siteConfiguration: object, more: { scopes?: string[] } = {}) =>
  callScript(analytics, { type: 'fetch_published_script', siteId: 'site_1' }, { scopes, siteConfiguration, ...more });

interface Added {
  src?: string;
  async?: boolean;
  dataset: Record<string, string>;
}

/** Runs the script `times` times in a page and returns the script elements that it adds. */
function getScripts(program: string, times = 1): Added[] {
  const scripts: Added[] = [];
  const document = {
    scripts,
    createElement: (): Added => ({ dataset: {} }),
    head: { append: (script: Added) => scripts.push(script) },
  };
  for (let run = 0; run < times; run++) runInNewContext(program, { document });
  return scripts;
}

test('a page loads the script of the service once, with the configured ID', async () => {
  const { status, text } = await load(configured);

  expect(status).toBe(200);
  expect(getScripts(text, 2)).toEqual([
    { src: configured.script_url, async: true, dataset: { id: 'ID-1', cookies: 'none' } },
  ]);
});

test("cookies require both the site's setting and the scope", async () => {
  const getCookies = async (...parameters: Parameters<typeof load>) =>
    getScripts((await load(...parameters)).text)[0]?.dataset.cookies;

  expect(await getCookies({ ...configured, cookies: true })).toBe('allowed');
  expect(await getCookies({ ...configured, cookies: true }, { scopes: ['site:script:inject'] })).toBe('none');
  expect(await getCookies({ ...configured, cookies: false })).toBe('none');
});

test('escapes configured values, and only loads scripts over HTTPS', async () => {
  const id = '"; alert(1) //</script>\u2028';
  const { text } = await load({ ...configured, id });

  expect(getScripts(text)[0]?.dataset.id).toBe(id);
  expect(text).not.toContain('</script>');
  for (const script_url of ['http://stats.example/a.js', 'javascript:alert(1)', 'x', undefined])
    expect(getScripts((await load({ ...configured, script_url })).text)).toEqual([]);
});
