import { expect, test } from 'vitest';
import { mergeSettings } from './merge-settings.ts';

test('keeps settings that others have changed or added since, also in a group that was changed', () => {
  const former = { header: { preset: 'default', links: ['a'] }, styling: { color: { light: '#fff', dark: '#000' } } };
  const latest = { ...former, header: { preset: 'default', links: ['a', 'b'] }, footer: { text: 'New' } };
  const changed = {
    header: { preset: 'bold', links: ['a'], logo: { light: 'l', dark: 'd' } },
    styling: { color: { light: '#eee', dark: '#000' } },
  };

  expect(mergeSettings(latest, former, changed)).toEqual({
    header: { preset: 'bold', links: ['a', 'b'], logo: { light: 'l', dark: 'd' } },
    styling: { color: { light: '#eee', dark: '#000' } },
    footer: { text: 'New' },
  });
});

test('a setting that was removed is removed', () => {
  const former = { header: { logo: { light: 'l' }, preset: 'bold' } };
  const merged = mergeSettings(former, former, { header: { preset: 'bold' } });
  expect(JSON.parse(JSON.stringify(merged))).toEqual({ header: { preset: 'bold' } });
});
