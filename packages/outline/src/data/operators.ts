import { type DataValue, isObject, NotPlain } from './read-data.ts';

const isPrimitive = (value: DataValue): value is string | number | boolean | null | undefined =>
  typeof value !== 'object' || value === null;

/** Whether a value counts as true, or undefined if that is unknown. */
export const isTrue = (value: DataValue): boolean | undefined =>
  value instanceof NotPlain ? undefined : !isPrimitive(value) || Boolean(value);

/** Returns the result of an operator with two operands. Only sums and comparisons of plain values are calculated. */
export function calculate(operator: string, left: DataValue, right: DataValue): DataValue {
  if (!isPrimitive(left) || !isPrimitive(right)) return new NotPlain();
  if (operator === '===') return left === right;
  if (operator === '!==') return left !== right;
  if (operator === '==' || operator === '!=') {
    const isEqual = (left ?? null) === (right ?? null);
    return isEqual === (operator === '==');
  }
  if (operator !== '+') return new NotPlain();
  return typeof left === 'number' && typeof right === 'number' ? left + right : `${left}${right}`;
}

/** Returns the result of an operator with one operand. */
export function calculateUnary(operator: string, value: DataValue): DataValue {
  if (operator === 'void') return undefined;
  const truth = isTrue(value);
  if (operator === '!' && truth !== undefined) return !truth;
  if (operator === '-' && typeof value === 'number') return -value;
  if (operator === '+' && typeof value === 'number') return value;
  if (operator === 'typeof' && !(value instanceof NotPlain))
    return value === null || isObject(value) || Array.isArray(value) ? 'object' : typeof value;
  return new NotPlain();
}
