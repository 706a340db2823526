import type { Dialect, AttributeNames } from './dialect.ts';

/** Where OpenLLMetry's `set_association_properties` puts a name. */
const association = 'traceloop.association.properties.';

/** The prefixes of our own headers as names of attributes; also as Helicone's asynchronous logger sends them. */
const headerPrefixes = ['Svc-', 'svc-', 'Helicone-', 'helicone-'].flatMap((prefix) => [prefix, `${association}${prefix}`]);

function named(header: string): readonly string[] {
  return headerPrefixes.map(
    (prefix) => `${prefix}${prefix.endsWith('svc-') || prefix.endsWith('helicone-') ? header.toLowerCase() : header}`,
  );
}

const attributeNames: AttributeNames = {
  userId: named('User-Id'),
  sessionId: named('Session-Id'),
  sessionName: named('Session-Name'),
  sessionPath: named('Session-Path'),
  promptId: named('Prompt-Id'),
  promptVersion: named('Prompt-Version'),
  experimentId: named('Experiment-Id'),
  costUsd: named('Cost'),
};

/** Attributes with the names of our headers, which mean the same in every dialect. */
export const gatelogHeaders: Dialect = {
  name: 'Gatelog',
  source: 'docs/reference/headers.md; for Helicone-, Helicone/helicone valhalla/jawn/src/managers/traceManager.ts',
  attributeNames,
  operationOf: () => undefined,
  conversationOf: () => ({}),
  propertyPrefixes: headerPrefixes.map((prefix) => `${prefix}${/svc-$|helicone-$/.test(prefix) ? 'property-' : 'Property-'}`),
  propertyObjects: [],
  tagLists: [],
  namespaces: headerPrefixes,
};
