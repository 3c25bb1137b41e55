import type { JsonObject } from '@octavo/specification';
import type { PageDrawing } from '../drawing.ts';
import type { Budget } from './budget.ts';
import type { OperationPart, ReferenceOfPage } from './read-parts.ts';
import type { SchemaReader } from './schema.ts';
import type { ReferenceTexts } from './texts/reference-texts.ts';

/** What a part of a specification is drawn with. */
export interface ReferenceDrawing {
  at: PageDrawing;
  of: ReferenceOfPage;
  document: JsonObject;
  schemas: SchemaReader;
  budget: Budget;
  texts: ReferenceTexts;
  /** The level of the headings inside of it. */
  level: number;
}

/** The same of an operation. */
export interface OperationDrawing extends ReferenceDrawing {
  part: OperationPart;
}
