import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { ja } from './ja.ts';
import { nl } from './nl.ts';
import { no } from './no.ts';
import { pt } from './pt.ts';
import type { ReferenceTexts } from './reference-texts.ts';
import { ru } from './ru.ts';
import { zh } from './zh.ts';

const texts: Record<string, ReferenceTexts> = { en, de, fr, es, nl, no, ru, ja, zh, 'pt-br': pt };

/** Returns the texts for a locale of the customization. */
export const getReferenceTexts = (locale: string): ReferenceTexts =>
  (Object.hasOwn(texts, locale) ? texts[locale] : undefined) ?? en;
