import jsep from 'jsep';

/** A JSON value, such as the result of an expression. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The values that an expression can use, by name. */
export type EvaluationScope = { [name: string]: Json };

const MAX_LENGTH = 1024;
const MAX_DEPTH = 50;

jsep.addBinaryOp('in', 7);

/** The error for a part that expressions cannot contain. */
class InvalidExpression extends Error {}

/** Evaluates an expression; `readable` is false if it is invalid, contains a call, or uses an unknown name. */
export function evaluate(source: string, scope: EvaluationScope): { readable: boolean; value?: Json | undefined } {
  if (source.length > MAX_LENGTH) return { readable: false };
  try {
    return { readable: true, value: evaluateNode(jsep(source), scope, 0) };
  } catch {
    return { readable: false };
  }
}

/** Whether the source is a valid expression over these names, regardless of their values. */
export function isReadable(source: string, names: readonly string[]): boolean {
  if (source.length > MAX_LENGTH) return false;
  try {
    return isExpression(jsep(source), names, 0);
  } catch {
    return false;
  }
}

type Value = Json | undefined;
type Expression = jsep.Expression;

const binaryOperators = new Set('&& || ?? === == !== != in + < <= > >='.split(' '));

function isExpression(node: Expression, names: readonly string[], depth: number): boolean {
  if (depth > MAX_DEPTH) return false;
  const areExpressions = (...parts: unknown[]) =>
    parts.every((part) => isExpression(part as Expression, names, depth + 1));
  switch (node.type) {
    case 'Literal':
      return true;
    case 'Identifier':
      return node.name === 'undefined' || names.includes(String(node.name));
    case 'MemberExpression':
      return areExpressions(node.object) && (!node.computed || areExpressions(node.property));
    case 'ConditionalExpression':
      return areExpressions(node.test, node.consequent, node.alternate);
    case 'UnaryExpression':
      return (node.operator === '!' || node.operator === '-') && areExpressions(node.argument);
    case 'ArrayExpression':
      return areExpressions(...(node.elements as unknown[]));
    case 'BinaryExpression':
    case 'LogicalExpression':
      return binaryOperators.has(String(node.operator)) && areExpressions(node.left, node.right);
  }
  return false;
}

function evaluateNode(node: Expression, scope: EvaluationScope, depth: number): Value {
  if (depth > MAX_DEPTH) throw new InvalidExpression('too deep');
  const evaluatePart = (part: unknown): Value => evaluateNode(part as Expression, scope, depth + 1);
  switch (node.type) {
    case 'Literal':
      return node.value as Json;
    case 'Identifier':
      return readName(String(node.name), scope);
    case 'MemberExpression':
      return readMember(
        evaluatePart(node.object),
        node.computed ? evaluatePart(node.property) : String((node.property as Expression).name),
      );
    case 'ConditionalExpression':
      return evaluatePart(node.test) ? evaluatePart(node.consequent) : evaluatePart(node.alternate);
    case 'UnaryExpression':
      if (node.operator === '!') return !evaluatePart(node.argument);
      if (node.operator === '-') return -Number(evaluatePart(node.argument));
      break;
    case 'ArrayExpression':
      return (node.elements as unknown[]).map((each) => evaluatePart(each) ?? null);
    case 'BinaryExpression':
    case 'LogicalExpression':
      return evaluateBinary(
        String(node.operator),
        () => evaluatePart(node.left),
        () => evaluatePart(node.right),
      );
  }
  throw new InvalidExpression(node.type);
}

function readName(name: string, scope: EvaluationScope): Value {
  if (name === 'undefined') return undefined;
  if (!Object.hasOwn(scope, name)) throw new InvalidExpression(name);
  return scope[name];
}

/** Reads a member of a value. Only own properties of objects, and items and `length` of lists, can be read. */
function readMember(object: Value, key: Value): Value {
  if (typeof object !== 'object' || object === null || (typeof key !== 'string' && typeof key !== 'number'))
    return undefined;
  if (Array.isArray(object)) return key === 'length' || typeof key === 'number' ? object[key] : undefined;
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function evaluateBinary(operator: string, left: () => Value, right: () => Value): Value {
  if (operator === '&&') return left() && right();
  if (operator === '||') return left() || right();
  if (operator === '??') return left() ?? right();
  const [one, other] = [left(), right()];
  if (operator === '===' || operator === '==') return one === other;
  if (operator === '!==' || operator === '!=') return one !== other;
  if (operator === 'in') return isContained(one, other);
  if (operator === '+' && isScalar(one) && isScalar(other)) return add(one, other);
  if (typeof one !== typeof other || (typeof one !== 'number' && typeof one !== 'string')) return false;
  const order = one < (other as typeof one) ? -1 : one > (other as typeof one) ? 1 : 0;
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  if (operator === '>') return order > 0;
  if (operator === '>=') return order >= 0;
  throw new InvalidExpression(operator);
}

const isScalar = (value: Value): value is string | number => typeof value === 'string' || typeof value === 'number';

const add = (one: string | number, other: string | number): Value =>
  typeof one === 'number' && typeof other === 'number' ? one + other : `${one}${other}`;

function isContained(key: Value, holder: Value): boolean {
  if (Array.isArray(holder)) return holder.some((each) => each === key);
  if (typeof holder !== 'object' || holder === null) return false;
  return (typeof key === 'string' || typeof key === 'number') && Object.hasOwn(holder, key);
}
