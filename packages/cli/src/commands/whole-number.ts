import { misuse } from '../failure.ts';

/** A number that was typed for an option. @throws Failure */
export function wholeNumber(option: string, text: string, least: number, most: number): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw misuse(`--${option} is a number from ${least} to ${most}.`);
}
