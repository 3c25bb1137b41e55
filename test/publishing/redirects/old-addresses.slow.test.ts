import fc from 'fast-check';
import { expect, test } from 'vitest';
import { edit, makeChangeRequest, merge } from '../../support/content.ts';
import { platform } from '../../support/platform.ts';
import { holdsSlowly } from '../../support/random.ts';
import { createPublishedSite, resolve } from '../resolution/site-world.ts';
import { getChange, PageModel, type PageStep, pageStep } from './page-model.ts';

async function carryOut(space: { id: string; token: string }, steps: PageStep[]): Promise<PageModel> {
  const model = new PageModel();
  for (const each of steps) {
    const done = getChange(model, each);
    if (done === undefined) continue;
    const request = each.isMerged ? (await makeChangeRequest(space)).id : undefined;
    const [newPage = ''] = await edit(space, [done.change], request);
    if (request !== undefined) expect((await merge(space, request)).status).toBe(200);
    done.apply(newPage);
    model.note();
  }
  return model;
}

test('every former URL of a page resolves to it, or to the page that has the path now', async () => {
  const organization = await platform().makeOrganization();
  await holdsSlowly(
    fc.asyncProperty(fc.array(pageStep, { minLength: 15, maxLength: 40 }), async (steps) => {
      const space = await platform().makeSpace({ organization });
      const model = await carryOut(space, steps);
      const { path: site, base } = await createPublishedSite({ organization, spaces: [space.id] });
      const { apiToken: token } = await resolve(base);
      for (const path of model.holders.keys()) {
        const response = await platform().request(`${site}/redirect?source=/${path}`, { token });
        const resolved = (await response.json()) as { redirect?: { id: string }; target?: string };
        const expected = model.getExpectedPage(path);
        const there = await resolve(`${base}/${path}`);
        expect([path, response.status], JSON.stringify(steps)).toEqual([path, expected?.isOld === true ? 200 : 404]);
        if (expected === undefined) expect(there).toMatchObject({ complete: false });
        else if (!expected.isOld) expect(there).toMatchObject({ complete: true, canonicalUrl: `${base}/${path}` });
        else {
          const target = `${base}/${model.getPath(expected.page)}`;
          expect(resolved).toMatchObject({ target, redirect: { id: expected.page } });
          expect(there).toEqual({ target: 'content', redirect: target });
        }
      }
    }),
    { numRuns: 20, fewest: 5, milliseconds: 60_000 },
  );
});
