/** Signs for icons of Font Awesome that mean something by themselves, by their names. */
const SIGNS: Record<string, string> = {
  check: '✓',
  'circle-check': '✓',
  'square-check': '☑',
  xmark: '✗',
  'circle-xmark': '✗',
  times: '✗',
  plus: '+',
  minus: '−',
  star: '★',
  circle: '●',
  'arrow-right': '→',
  'arrow-left': '←',
  'arrow-up': '↑',
  'arrow-down': '↓',
  'arrow-right-long': '→',
  'chevron-right': '›',
  'chevron-left': '‹',
  copyright: '©',
  info: 'i',
  question: '?',
  exclamation: '!',
};

/** What stands for an icon in a text: its sign, or its name as that of an image that cannot be shown. */
export const iconText = (name: string): string => (Object.hasOwn(SIGNS, name) ? (SIGNS[name] ?? '') : `[${name}]`);
