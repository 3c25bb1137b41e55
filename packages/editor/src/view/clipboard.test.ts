import { expect, test } from 'vitest';
import { deactivateStyles } from './clipboard.ts';

test.each([
  ['<p style="color: red">style="a"</p>', '<p data-pasted-style="color: red">style="a"</p>'],
  [`<a title="1 > 0"STYLE = 'top:0'>b</a>`, `<a title="1 > 0"data-pasted-style = 'top:0'>b</a>`],
  ['<style type="a"><!-- p { top: 0 } --></style><p>a</p><STYLE>b</STYLE >', '<p>a</p>'],
  ['1 < 2 <b', '1 < 2 <b'],
])('pasted HTML has no active styles: %s', (html, expected) => {
  expect(deactivateStyles(html)).toBe(expected);
});
