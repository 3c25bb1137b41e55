import { expect, test } from 'vitest';
import { decompress } from './decompress.ts';

const squares = [
  'AwWgjCAsIJzgbCATAVhAZkZO9oA4IxhQwlDJox44wZElVkV6850lpMJJipJu80FEjgoA7IniN4EkGJFzBIQRBi86hYB3DBW4MM3A',
  'M0pOuEw0KlYYXi8qBcBMqCaMTMi1oyVZEmBwSOjA0BzAEKi8SHYRYiHIeAHIML7BjOhgHuzYGJickI6YvOjyEOiCnHRwPGaQxlDo',
  'hhR6kFLQkBLcaqAoIRAoYEoo7KIdiMyM4rIoMAp2Sm0QuLzwzEvy0PB4enGG8oxi6GZizHBiYhRysxAEvHhIjoK4yrhw2x5qjNeI',
  'MDWwdtAYIlNMQSFpwjoeJRgHYaLpfGAiIxEUFEIiKDQqM9EdtCGR7EEyEYUJdSBIaCIzJl6plIIZMlsaEdtGB+PByDwSK1+OACko',
  'DKZwMNZAYpCYUHgReyFFRypR4LhbN0nFRCBcWRI9GAxDB6fdka40ZLqOA1KT3ETaHYSEDHP4qKEQjl-Id6EjvJlfGRYchaPEGPa-',
  'L1QAxgcgMv70H8gmIvTxGBx0B4OK9kNhnqgHhFmFEZkTohxQqsTdFWPR9t4ToYkGJtoF9aE8GsEsqRBwIrqlJSFGlZMExRgAn3qW',
  'wHJx-DzssUa+zcqROFG9Emm4go-UozNV+m2MNLo1Shh2cVcIUts8Shw2BIsol0ipV9sksz4kcYlBQaAoRCeIl2qQkmyvh1F4UCJl',
  'gDw5JA7DPFBWzcPwvAUDYfC-O0wwmnSOpYFIjCtMWUBxC0JzaB0GhQIIiHbDy2AQVAMDyKI4TTDCkxENMBgKAMQJCIW-QiLwwxcC',
  'Awz3EIdR6CSJzjMIkynOM7ImswuBCLGRLiNawmJI4ErMEIZqiLqHjWtIwADJIRBJOyvSbP4EJiiswR2Y08TLJZdK+KsIGrOhIAKi',
  'EODFpshHrBpcFEmelzUFQOBVIgcT1HEUlyKQOyDNo8hCQxvCHBQECHNxch0goJzALIUkHOyZUyMV8hKOcKiKJyihkTqwj4MQeiJP',
  'hBD1AQWHKKibwiJceCNESKh3K0jzCM8TauC8sHKPFaDGr42z+G8j74L8EJAA',
].join('');

/** Texts, and their compressed form from compressToEncodedURIComponent of LZ-string 1.5.0. */
const known: [string, string][] = [
  ['', 'Q'],
  ['a', 'IZA'],
  ['aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'IY18ZFA'],
  [
    '{"componentId":"known","props":{"é":"ü 漢字 😀"}}',
    'N4Igxg9gtgDhB2BTeAXAkgExALhAa3ggHd4QAaEGAJwhgGcdQBLnEAH4AJAie0HVtDwXg3AAHsgAviKA',
  ],
  ['x'.repeat(3000), 'B418ZXTt-DFOS1b0c17Pd-wYUcSaWeRZVdTbXfQ408y62+x519z73-wMFDhI0WPETJU6TNlyZQA'],
  [Array.from({ length: 300 }, (_, each) => `${each * each}-`).join(''), squares],
];

test.each(known)('decompresses known data to the original: %.20s', (text, compressed) => {
  expect(decompress(compressed, 100_000)).toBe(text);
});

test('rejects oversized, truncated and invalid data', () => {
  expect(() => decompress('B418ZXTt-DFOS1b0c17Pd-wYUcSaWeRZVdTbXfQ408y62+x519z73-wMFDhI0WPETJU6TNlyZQA', 2999)).toThrow(
    'more than 2999 characters',
  );
  for (const wrong of ['', squares.slice(0, 500), '????', '____', 'N4I'])
    expect(() => decompress(wrong, 100_000), wrong).toThrow(RangeError);
});
