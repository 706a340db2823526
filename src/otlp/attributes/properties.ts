import { isJsonObject } from '../../model/text.ts';
import type { TaggedProperty } from '../../model/record/exchange.ts';
import { propertyLimits } from '../../model/vocabulary/limits.ts';
import { dialects } from '../dialects/all.ts';
import { asText, unpacked } from '../messages/chat-message.ts';
import { readTexts } from '../messages/read-messages.ts';
import { type AttributeValue, type Span, textAt } from '../received/span.ts';

/** Where the service runs: attributes of the resource that become properties. */
const resourceProperties = ['service.name', 'service.version', 'deployment.environment.name', 'deployment.environment'] as const;

/**
 * Beginnings of names that OpenTelemetry defines for all kinds of spans, and instrumentations' own. Such an attribute describes the span's
 * making, not the caller's concern. Source: open-telemetry/semantic-conventions docs/registry/attributes.
 */
const commonNamespaces = [
  'aws. azure. client. cloud. code. container. cpu. db. destination. device. dns. error. event. exception. faas.',
  'feature_flag. file. gcp. graphql. host. http. jsonrpc. k8s. log. messaging. net. network. os. otel. peer. pool. process.',
  'rpc. sampling. server. service. sentry. source. span. system. telemetry. thread. tls. url. user_agent. webengine.',
  'logfire. deployment. openlit.',
].flatMap((line) => line.split(' '));

const namespaces: readonly string[] = [...commonNamespaces, ...dialects.flatMap((dialect) => dialect.namespaces)];

/** A name that may hold a credential is never a property. */
const credential = /authorization|api[-_.]?key|password|passwd|secret|credential|cookie|access[-_.]?token|bearer/i;

/** Named behind another prefix too, and a property under its own name. */
const propertyHeader = /^(?:svc|helicone)-property-/i;

/** Attributes that became another field, or are read as a whole, are no properties too. */
const otherAttributes: ReadonlySet<string> = new Set(
  dialects.flatMap(({ attributeNames, tagLists, propertyObjects, partsOfRequest = [] }) => [
    ...Object.values(attributeNames).flat(),
    ...tagLists,
    ...propertyObjects,
    ...partsOfRequest,
  ]),
);

/**
 * The properties of a call: what the dialects have for them, the caller's own attributes, tags, and the service. At most as many and as
 * long as a gateway's call may have; the rest is left out. The caller's own come first.
 */
export function propertiesOf(span: Span): readonly TaggedProperty[] {
  return taken([...named(span), ...unclaimed(span), ...tags(span), ...ofResource(span)]);
}

const contextPrefixes = dialects.flatMap((dialect) => dialect.contextPrefixes ?? []);

/** The properties that a span gives to the calls below it. */
export function contextOf({ attributes }: Span): readonly TaggedProperty[] {
  const given = [...attributes].filter(([name]) => !otherAttributes.has(name) && contextPrefixes.some((prefix) => name.startsWith(prefix)));
  return given.length === 0 ? [] : taken(contextPrefixes.flatMap((prefix) => behind(given, prefix)));
}

function taken(all: readonly Named[]): readonly TaggedProperty[] {
  const found = new Map<string, string>();
  for (const [name, value] of all) {
    const text = textOfValue(value);
    const isNew = !found.has(name) && name !== '' && !credential.test(name) && !propertyHeader.test(name);
    if (isNew && text !== '' && found.size < propertyLimits.properties && fits(name, text)) found.set(name, text);
  }
  return Array.from(found, ([name, value]) => ({ name, value }));
}

/** The SDK's own name for a service without one. */
const unnamedService = 'unknown_service';

type Named = readonly [name: string, value: unknown];

function named({ attributes }: Span): readonly Named[] {
  const all = [...attributes].filter(([name]) => !otherAttributes.has(name));
  return dialects.flatMap(({ propertyPrefixes, propertyObjects }) => [
    ...propertyPrefixes.flatMap((prefix) => behind(all, prefix)),
    ...propertyObjects.flatMap((name) => members(attributes.get(name))),
  ]);
}

function behind(attributes: readonly (readonly [string, AttributeValue])[], prefix: string): readonly Named[] {
  return attributes.filter(([name]) => name.startsWith(prefix)).map(([name, value]) => [name.slice(prefix.length), value]);
}

function members(value: unknown): readonly Named[] {
  const object = unpacked(value);
  return isJsonObject(object) ? Object.entries(object) : [];
}

/** The caller's own attributes. Objects and long lists are no properties. */
function unclaimed({ attributes }: Span): readonly Named[] {
  return [...attributes].filter(([name, value]) => {
    const isOwn = !otherAttributes.has(name) && !namespaces.some((start) => name.startsWith(start));
    return isOwn && typeof value !== 'object';
  });
}

function tags({ attributes }: Span): readonly Named[] {
  const lists = dialects.flatMap(({ tagLists }) => tagLists.map((name) => attributes.get(name)));
  const first = lists.find((list) => list !== undefined && list !== null && list !== '');
  return first === undefined ? [] : [['tags', readTexts(first).join(',')]];
}

function ofResource({ resource }: Span): readonly Named[] {
  return resourceProperties
    .map((name) => [name, textAt(resource, [name])] as const)
    .filter(([, value]) => !value.startsWith(unnamedService));
}

/** Lists of scalars are joined, so that a filter finds each. */
function textOfValue(value: unknown): string {
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) {
    return value.map((each) => (typeof each === 'string' ? asText(each) : String(each))).join(',');
  }
  return asText(value);
}

function fits(name: string, text: string): boolean {
  return Array.from(name).length <= propertyLimits.nameCharacters && Buffer.byteLength(text) <= propertyLimits.valueBytes;
}
