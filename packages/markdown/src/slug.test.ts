import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { holds } from '../../../test/support/random.ts';
import { findFreeSlug, slugify } from './slug.ts';

describe('slugify', () => {
  test.each([
    ['Hello, World!', 'hello-world'],
    ['  --Crème brûlée & Ærø--', 'creme-brulee-ærø'],
    ['API v2.0', 'api-v2-0'],
    ['İstanbul', 'istanbul'],
    ['快速开始', '快速开始'],
    ['한국어 문서', '한국어-문서'],
    ['ガイド', 'ガイド'],
    ['हिन्दी में', 'हिन्दी-में'],
    ['❤️ love 🚀', 'love'],
    ['__proto__', 'proto'],
    ['🎉', 'page'],
    ['', 'page'],
  ])('%s becomes %s', (title, slug) => {
    expect(slugify(title)).toBe(slug);
  });

  test('a slug has 1 to 100 UTF-16 units and no stray hyphens, and stays the same when converted again', () => {
    holds(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (title) => {
        const slug = slugify(title);
        expect(slug.length).toBeGreaterThan(0);
        expect(slug.length).toBeLessThanOrEqual(100);
        expect(slug).not.toMatch(/^-|-$|--|[\s/?#%]/);
        expect(slug.isWellFormed()).toBe(true);
        expect(slugify(slug)).toBe(slug);
      }),
    );
  });
});

describe('findFreeSlug', () => {
  test('keeps a free slug', () => {
    expect(findFreeSlug('a', new Set(['b']))).toBe('a');
  });

  test('keeps a slug that is a single hyphen', () => {
    expect(findFreeSlug('-', new Set())).toBe('-');
  });

  test('a taken slug gets the first free number from 2', () => {
    expect(findFreeSlug('a', new Set(['a', 'a-2', 'a-4']))).toBe('a-3');
  });

  test('truncates a long slug between code points to make room for its number', () => {
    const slug = '𠮷'.repeat(50);
    const next = findFreeSlug(slug, new Set([slug]));
    expect(next).toBe(`${'𠮷'.repeat(49)}-2`);
  });
});
