import { JSONPathEnvironment, JSONPathError, jsonpath, TokenKind } from 'json-p3';
import { isLongInteger } from '../../../base/json/parse.ts';
import { compare, lengthOf } from './compare.ts';
import { NOTHING, type Operand, type PathSelector, type Query, type Test } from './query.ts';
import { regexpFunction } from './regexp.ts';

const { expressions, selectors } = jsonpath;
type Expression = jsonpath.expressions.FilterExpression;

const MAX_PATH_LENGTH = 1_000;
/** A nested filter may visit the whole document for every node of the filter around it. */
const MAX_FILTER_DEPTH = 4;

/** Only parses and checks. json-p3's own evaluation has no time limit and runs patterns on a backtracking engine. */
const environment = new JSONPathEnvironment();

/** Parses a JSONPath; undefined if it is invalid or too long. */
export function parsePath(path: string): Query | undefined {
  if (path.length > MAX_PATH_LENGTH) return undefined;
  try {
    return queryOf(environment.compile(path), 0);
  } catch (thrown) {
    if (thrown instanceof JSONPathError) return undefined;
    throw thrown;
  }
}

function queryOf({ segments }: jsonpath.JSONPathQuery, depth: number): Query {
  return {
    segments: segments.map((segment) => ({
      descends: segment.token.kind === TokenKind.DDOT,
      selectors: segment.selectors.map((selector) => selectorOf(selector, depth)),
    })),
  };
}

function selectorOf(selector: jsonpath.JSONPathSelector, depth: number): PathSelector {
  if (selector instanceof selectors.NameSelector) return { kind: 'name', name: selector.name };
  if (selector instanceof selectors.IndexSelector) return { kind: 'index', index: selector.index };
  if (selector instanceof selectors.SliceSelector) {
    const { start, stop, step = 1 } = selector;
    return { kind: 'slice', start, stop, step };
  }
  if (selector instanceof selectors.FilterSelector) {
    if (depth >= MAX_FILTER_DEPTH) throw new JSONPathError('filters nested too deeply', selector.token);
    return { kind: 'filter', test: testOf(selector.expression, depth + 1) };
  }
  return { kind: 'all' };
}

function testOf(expression: Expression, depth: number): Test {
  if (expression instanceof expressions.LogicalExpression) return testOf(expression.expression, depth);
  if (expression instanceof expressions.PrefixExpression) {
    const inner = testOf(expression.right, depth);
    return (current, walk) => !inner(current, walk);
  }
  if (expression instanceof expressions.InfixExpression) return infixOf(expression, depth);
  if (expression instanceof expressions.FilterQuery) {
    const nodes = nodesOf(expression, depth);
    return (current, walk) => {
      let exists = false;
      nodes(current, walk, () => {
        exists = true;
        return true;
      });
      return exists;
    };
  }
  const operand = operandOf(expression, depth);
  return (current, walk) => operand(current, walk) === true;
}

function infixOf({ left, operator, right }: jsonpath.expressions.InfixExpression, depth: number): Test {
  if (operator === '&&' || operator === '||') {
    const [first, second] = [testOf(left, depth), testOf(right, depth)];
    if (operator === '&&') return (current, walk) => first(current, walk) && second(current, walk);
    return (current, walk) => first(current, walk) || second(current, walk);
  }
  const [a, b] = [operandOf(left, depth), operandOf(right, depth)];
  return (current, walk) => compare(a(current, walk), operator, b(current, walk), walk);
}

type Nodes = (current: unknown, walk: Parameters<Test>[1], visit: (value: unknown) => boolean) => void;

function nodesOf(expression: jsonpath.expressions.FilterQuery, depth: number): Nodes {
  const query = queryOf(expression.path, depth);
  const fromRoot = expression instanceof expressions.RootQuery;
  return (current, walk, visit) =>
    walk.follow(query, fromRoot ? walk.root : current, ({ value }) => visit(value));
}

function operandOf(expression: Expression, depth: number): Operand {
  if (expression instanceof expressions.NullLiteral) return () => null;
  if (expression instanceof expressions.NumberLiteral) return numberOf(expression);
  if (expression instanceof expressions.StringLiteral || expression instanceof expressions.BooleanLiteral) {
    const { value } = expression;
    return () => value;
  }
  if (expression instanceof expressions.FunctionExtension) return functionOf(expression, depth);
  return onlyValueOf(nodesOf(expression as jsonpath.expressions.FilterQuery, depth));
}

/** The JSON parser reads an integer beyond 2^53 as a string of its digits, so a literal is read the same way. */
function numberOf({ value, token }: jsonpath.expressions.NumberLiteral): Operand {
  return isLongInteger(token.value) ? () => token.value : () => value;
}

/** The value of a single node; NOTHING for none or several, which `value()` may get. */
function onlyValueOf(nodes: Nodes): Operand {
  return (current, walk) => {
    const values: unknown[] = [];
    nodes(current, walk, (value) => values.push(value) > 1);
    return values.length === 1 ? values[0] : NOTHING;
  };
}

function functionOf({ name, args }: jsonpath.expressions.FunctionExtension, depth: number): Operand {
  const [first, second] = args;
  if (name === 'count' || name === 'value') {
    const nodes = nodesOf(first as jsonpath.expressions.FilterQuery, depth);
    if (name === 'value') return onlyValueOf(nodes);
    return (current, walk) => {
      let count = 0;
      nodes(current, walk, () => ++count === Number.POSITIVE_INFINITY);
      return count;
    };
  }
  const subject = operandOf(first!, depth);
  if (name === 'length') return (current, walk) => lengthOf(subject(current, walk), walk);
  const source = operandOf(second!, depth);
  const matches = regexpFunction(name === 'match');
  return (current, walk) => matches(subject(current, walk), source(current, walk), walk);
}
