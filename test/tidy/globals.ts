import type { Node } from 'oxc-parser';
import { childrenOf, type SourceFile, stringOf } from './source.ts';

/** A use of a name that the file itself does not declare. */
export interface GlobalUse {
  readonly name: string;
  /** How it is used: `Date.now`, `Date()`, `new Date()`, or the bare name. */
  readonly use: string;
  readonly line: number;
}

interface Place {
  readonly node: Node;
  readonly parent: Node | undefined;
}

/** Type nodes that wrap a value; every other type node contains no value. */
const valueWrappers: ReadonlySet<string> = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
]);

/** Modules whose imports are the global of the same name under another spelling. */
const moduleOfGlobal: ReadonlySet<string> = new Set(['node:process', 'process', 'node:console', 'console']);

/**
 * Uses of global names in a file. A name that is declared anywhere in the file counts as the file's own everywhere in it, which spares
 * scope analysis and errs towards silence only where a global is shadowed on purpose.
 */
export function globalUses(source: SourceFile): readonly GlobalUse[] {
  const uses = usesOf.get(source) ?? findGlobalUses(source);
  usesOf.set(source, uses);
  return uses;
}

/** Several rules ask. */
const usesOf = new WeakMap<SourceFile, readonly GlobalUse[]>();

function findGlobalUses(source: SourceFile): readonly GlobalUse[] {
  const places: Place[] = [];
  addValuePlaces({ node: source.program, parent: undefined }, places);
  const own = new Set(places.flatMap(declaredNames));
  return places.filter(isReference).flatMap(({ node, parent }) => {
    if (node.type !== 'Identifier' || own.has(node.name)) return [];
    return [{ name: node.name, use: spelling(node.name, node, parent), line: source.lineOf(node.start) }];
  });
}

function addValuePlaces(place: Place, places: Place[]): void {
  if (place.node.type.startsWith('TS') && !valueWrappers.has(place.node.type)) return;
  places.push(place);
  for (const child of childrenOf(place.node)) addValuePlaces({ node: child, parent: place.node }, places);
}

function declaredNames({ node }: Place): string[] {
  switch (node.type) {
    case 'ImportDeclaration':
      return moduleOfGlobal.has(node.source.value) ? [] : node.specifiers.map((specifier) => specifier.local.name);
    case 'VariableDeclarator':
      return namesOfPattern(node.id);
    case 'FunctionDeclaration':
    case 'FunctionExpression':
    case 'ArrowFunctionExpression':
      return [...('id' in node && node.id !== null ? [node.id.name] : []), ...node.params.flatMap(namesOfPattern)];
    case 'ClassDeclaration':
      return node.id === null ? [] : [node.id.name];
    case 'CatchClause':
      return node.param === null ? [] : namesOfPattern(node.param);
    default:
      return [];
  }
}

function namesOfPattern(pattern: Node): string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'AssignmentPattern':
      return namesOfPattern(pattern.left);
    case 'RestElement':
      return namesOfPattern(pattern.argument);
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element === null ? [] : namesOfPattern(element)));
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) => namesOfPattern(property.type === 'Property' ? property.value : property));
    default:
      return [];
  }
}

/** Whether a name is a reference, and not a label such as a property, key or specifier. */
function isReference({ node, parent }: Place): boolean {
  if (node.type !== 'Identifier' || parent === undefined) return false;
  switch (parent.type) {
    case 'MemberExpression':
      return parent.object === node || parent.computed;
    case 'Property':
    case 'MethodDefinition':
    case 'PropertyDefinition':
      return parent.value === node || parent.computed;
    case 'ImportSpecifier':
    case 'ImportDefaultSpecifier':
    case 'ImportNamespaceSpecifier':
    case 'ExportSpecifier':
    case 'LabeledStatement':
    case 'BreakStatement':
    case 'ContinueStatement':
      return false;
    default:
      return true;
  }
}

function spelling(name: string, node: Node, parent: Node | undefined): string {
  switch (parent?.type) {
    case 'MemberExpression': {
      const property = parent.computed ? stringOf(parent.property) : nameOf(parent.property);
      return parent.object === node && property !== undefined ? `${name}.${property}` : name;
    }
    case 'NewExpression':
      return parent.callee === node && parent.arguments.length === 0 ? `new ${name}()` : name;
    case 'CallExpression':
      return parent.callee === node ? `${name}()` : name;
    case 'VariableDeclarator':
      return parent.id.type === 'ObjectPattern' ? `${name}.{${namesOfPattern(parent.id).join(',')}}` : name;
    default:
      return name;
  }
}

function nameOf(node: Node): string | undefined {
  return node.type === 'Identifier' ? node.name : undefined;
}
