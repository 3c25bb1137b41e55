import { describe, expect, test } from 'vitest';
import { compareSchemas } from './official/compare-schemas.ts';
import { isLeftOut, leftOut } from './official/left-out.ts';
import { answering, officials, ours } from './official/versions.ts';

const faults = Object.values(officials).map((official) => compareSchemas({ official, ours, isLeftOut }, answering));

describe.each(Object.entries(officials))('a client of version %s', (_, official) => {
  test('every field of the official schema is in our responses, except the documented omissions', () => {
    const faults = compareSchemas({ official, ours, isLeftOut }, answering);

    expect([...faults].filter(([place]) => !isLeftOut(place))).toEqual([]);
  });
});

test('no response contains a field that is documented as omitted', () => {
  const differences = new Set(faults.flatMap((each) => [...each.keys()]));

  expect(Object.keys(leftOut).filter((place) => !differences.has(place))).toEqual([]);
});
