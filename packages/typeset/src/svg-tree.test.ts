import { expect, test } from 'vitest';
import { readSvg, writeSvg } from './svg-tree.ts';

const read = (inside: string, before = '') =>
  readSvg(
    new TextEncoder().encode(
      `${before}<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink">${inside}</svg>`,
    ),
  );

const writeDrawing = (inside: string, before = ''): string => {
  const drawing = read(inside, before);
  return drawing === undefined ? '' : writeSvg(drawing, (text) => text);
};

test.each([
  ['an image', '<image href="file:///outside.png" xlink:href="http://outside/a.png"/>'],
  ['a foreign object', '<foreignObject><iframe src="http://outside/"/>outside</foreignObject>'],
  ['a script', '<script>outside()</script>'],
  ['a drawing that is used', '<use href="http://outside/a.svg#b"/><use xlink:href="//outside/a.svg#b"/>'],
  ['a fill', '<rect fill="url(http://outside/#a)"/><rect style="fill: url( \'file:///outside\' )"/>'],
  ['a style', '<style>@import url(http://outside/); rect { fill: url(http://outside/#a) }</style>'],
  ['a style with escapes', '<style>rect { fill: u\\rl(http:outside) } /* outside */</style>'],
  ['an event handler', '<rect onclick="outside()"/>'],
  ['a base', '<g xml:base="http://outside/"/>'],
])('removes everything that refers to or runs external content: %s', (_name, inside) => {
  const left = writeDrawing(`${inside}<rect width="9" fill="url(#a)"/><use xlink:href="#a"/>`);

  expect(left).not.toContain('outside');
  expect(left).toContain('fill="url(#a)"');
  expect(left).toContain('xlink:href="#a"');
});

test('rejects a drawing that declares entities', () => {
  expect(writeDrawing('<rect/>', '<!DOCTYPE svg [<!ENTITY x SYSTEM "file:///etc/passwd">]>')).toBe('');
  expect(writeDrawing('<rect/>', '<!DOCTYPE svg [<!ENTITY % x "y">]>')).toBe('');
  expect(writeDrawing('<rect/>', '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">')).toContain('<rect');
});

test('rejects a drawing that is too deep or too expensive', () => {
  expect(writeDrawing('<g>'.repeat(70) + '</g>'.repeat(70))).toBe('');
  expect(writeDrawing('<g/>'.repeat(20_001))).toBe('');
  expect(writeDrawing(`<g id="a">${'<g/>'.repeat(1000)}</g>${'<use xlink:href="#a"/>'.repeat(100)}`)).toBe('');
  expect(writeDrawing('<g id="a"><use xlink:href="#b"/></g><g id="b"><use xlink:href="#a"/></g>')).toBe('');
});
