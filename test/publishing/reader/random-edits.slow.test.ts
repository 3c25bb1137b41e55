import { expect, test } from 'vitest';
import { drawValues, isOfAll } from '../../support/random.ts';
import { applyEdit, type EditedKind, listAddresses, makeEditedSite, randomEdit } from './random-edits.ts';
import { createVisitor, createVisitorWith, read } from './reads.ts';

/** Set OCTAVO_EDITS to run more, such as OCTAVO_EDITS=1000. */
const edits = Number(process.env.OCTAVO_EDITS ?? (isOfAll ? 100 : 12));
/** The number of pages that are compared after each edit. */
const pages = 3;

const toResult = ({ status, headers, text }: Awaited<ReturnType<typeof read>>) => ({
  ...{ status, text, location: headers.get('location'), policy: headers.get('content-security-policy') },
});

const kinds: EditedKind[] = ['variants', 'tree'];

test.each(kinds)(
  `after each of ${edits} random edits of %s, cached pages are the same as uncached ones`,
  async (kind) => {
    const edited = await makeEditedSite(kind);
    let addresses = await listAddresses(edited);
    const history: string[] = [];
    const tags = new Map<string, string | null>();
    let unchanged = 0;

    for (const [index, edit] of drawValues(randomEdit, edits).entries()) {
      history.push(`${await applyEdit(edited, edit)} ${JSON.stringify(edit)}`);
      if (index % 5 === 0) addresses = await listAddresses(edited);
      for (let offset = 0; offset < pages; offset += 1) {
        const address = addresses[(index + offset * edit.object) % addresses.length] ?? '';
        const claims = edit.value % 4 === offset ? { plan: 'pro' } : {};
        const cached = await read(address, createVisitorWith(edited.site.id, claims));
        const uncached = await read(address, createVisitor(edited.site.id, claims));
        const tag = cached.headers.get('etag');

        expect(toResult(cached), `${address} after ${history.slice(-10).join('\n')}`).toEqual(toResult(uncached));
        if (tag !== null && tag === tags.get(address)) unchanged += 1;
        tags.set(address, tag);
      }
    }

    expect(unchanged).toBeGreaterThan(0);
  },
  900_000,
);
