import { keptResults } from './kept-results.ts';

/** As many forms as all languages of the interface have of each. */
const mostForms = 100;

const formOf = keptResults(mostForms, (form) => {
  const [locale, dateStyle] = JSON.parse(form) as [string, Intl.DateTimeFormatOptions['dateStyle']];
  return new Intl.DateTimeFormat(locale, { dateStyle, timeZone: 'UTC' });
});

/** The day of a time as a language writes it. @throws RangeError for a time that is none */
export const dayOf = (time: string, locale: string, style: Intl.DateTimeFormatOptions['dateStyle'] = 'long'): string =>
  formOf(JSON.stringify([locale, style])).format(new Date(time));
