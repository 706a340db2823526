import { expect, it } from 'vitest';
import { propertyLimits } from '../../model/vocabulary/limits.ts';
import { callOf, received } from '../testing/spans.ts';

const model = { 'gen_ai.request.model': 'm' };

function propertiesOf(attributes: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const { properties } = callOf({ attributes: { ...model, ...attributes } }).call.tags;
  return Object.fromEntries(properties.map(({ name, value }) => [name, value]));
}

it.each([
  ['my.api_key', 'k'],
  ['Authorization', 'k'],
  ['db_password', 'k'],
  ['metadata', '{"openai_api_key":"k"}'],
  ['http.request.header.cookie', 'k'],
  ['llm.headers', 'k'],
  ['ai.request.headers.x-api-key', 'k'],
  ['thread.id', '1'],
  ['server.address', 'h'],
  ['gen_ai.something.new', '1'],
  ['an.object', { a: 1 }],
  ['empty', ''],
])('%s is no property', (name, value) => {
  expect(propertiesOf({ [name]: value })).toEqual({});
});

it('the caller’s own attributes are, whatever scalars they are', () => {
  expect(propertiesOf({ 'app.tenant': 'north', beta: true, ratio: 0.5 })).toEqual({ 'app.tenant': 'north', beta: 'true', ratio: '0.5' });
});

it('as many and as long as a call of the gateway may have, those that a dialect names first', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`own.${index}`, 'v']));
  const long = { 'own.long': 'v'.repeat(propertyLimits.valueBytes + 1), [`own.${'n'.repeat(propertyLimits.nameCharacters)}`]: 'v' };
  const properties = propertiesOf({ ...long, ...many, metadata: '{"team":"search"}' });
  expect(Object.keys(properties)).toHaveLength(propertyLimits.properties);
  expect(properties).toMatchObject({ team: 'search', 'own.0': 'v' });
  expect(properties).not.toHaveProperty('own.long');
});

function ofResource(resource: Readonly<Record<string, string>>): unknown {
  return received([{ attributes: model }], { resource }).calls[0]?.tags.properties;
}

it('the service and its environment are, unless the service has no name', () => {
  expect(
    ofResource({ 'service.name': 'shop', 'service.version': '2', 'deployment.environment.name': 'production', 'host.name': 'h' }),
  ).toEqual([
    { name: 'service.name', value: 'shop' },
    { name: 'service.version', value: '2' },
    { name: 'deployment.environment.name', value: 'production' },
  ]);
  expect(ofResource({ 'service.name': 'unknown_service:node' })).toEqual([]);
});
