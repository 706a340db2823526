import type { SeededRandom } from '../base/seeded-random.ts';
import { edit, list, read, run, search, type Step, type Task, test } from './agent-steps.ts';

function flakyTest(random: SeededRandom): Task {
  const what = random.pick(['total', 'discount', 'shipping cost', 'tax']);
  const file = `src/checkout/${what.replace(' ', '-')}.ts`;
  const name = `sum${what.replaceAll(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase())}`;
  const testFile = file.replace('.ts', '.test.ts');
  const code = `import type { Item } from './cart.ts';\n\nexport interface ${name}Options {\n  readonly items: readonly Item[];\n  readonly rate: number;\n}\n\n/** In euros. */\nexport function ${name}({ items, rate }: ${name}Options): number {\n  return items.reduce((sum, item) => sum + item.price * rate, 0);\n}`;
  return {
    title: `Fix the flaky test of the checkout ${what}`,
    topic: `the ${what} of the checkout`,
    files: [file, testFile, 'src/checkout/cart.ts'],
    steps: [
      list('I look at what is in the folder first.', 'src/checkout', [
        'cart.ts',
        'cart.test.ts',
        'format.ts',
        file.slice(13),
        testFile.slice(13),
        'index.ts',
      ]),
      read(`The ${what} is computed here.`, file, code),
      read(
        'Now its test.',
        testFile,
        `import { expect, it } from 'vitest';\nimport { ${name} } from './${file.slice(13)}';\nimport { randomItems } from './testing/items.ts';\n\nit('adds up the ${what} of all items', () => {\n  const items = randomItems(3);\n  const expected = items[0].price + items[1].price + items[2].price;\n  expect(${name}({ items, rate: 1 })).toBe(expected);\n});`,
      ),
      test(
        'I run it a few times to see it fail.',
        testFile,
        1,
        `AssertionError: expected 119.97999999999999 to be 119.98 // Object.is equality\n  at ${testFile}:8:47`,
      ),
      centsElsewhere(file),
      edit(
        `The cart has cents already, and the ${what} alone uses euros. I sum the cents.`,
        file,
        'sum + item.price * rate, 0',
        'sum + Math.round(item.priceCents * rate), 0',
      ),
      edit(
        'The test says the same in cents, exactly.',
        testFile,
        'items[0].price + items[1].price + items[2].price',
        'items[0].priceCents + items[1].priceCents + items[2].priceCents',
      ),
      test('Once more.', 'src/checkout', 0, ''),
      run(
        'It was flaky, so I run it two hundred times.',
        `npx vitest run ${testFile} --repeat 200`,
        'Test Files  1 passed (1)\n     Tests  200 passed (200)\n  Duration  3.41s',
      ),
    ],
    done: `The ${what} summed euros as floats, so that its last digit depended on the order of the items. It sums whole cents now, as the rest of the checkout does. The test passed 200 times in a row.`,
  };
}

function centsElsewhere(file: string): Step {
  return search(
    'Prices are floats here, and three of them in another order differ in the last digit. Are they cents elsewhere?',
    String.raw`priceCents|\.price\b`,
    'src',
    [
      `${file}:10:  return items.reduce((sum, item) => sum + item.price * rate, 0);`,
      'src/checkout/cart.ts:14:  readonly price: number;',
      'src/checkout/cart.ts:22:  readonly priceCents: number;',
      'src/checkout/format.ts:6:export function shownPrice(priceCents: number): string {',
    ],
  );
}

function newFilter(random: SeededRandom): Task {
  const what = random.pick(['colour', 'material', 'width', 'socket', 'delivery time']);
  const key = what.replace(' ', '-');
  const filterFile = 'src/catalogue/filters.ts';
  return {
    title: `Add a filter by ${what} to the product list`,
    topic: `how the product list is filtered, and where a product has its ${what}`,
    files: [filterFile, 'src/catalogue/filters.test.ts', 'src/catalogue/product.ts'],
    steps: [
      search('I look for the filters that there are.', 'ProductFilter', 'src', [
        `${filterFile}:4:export interface ProductFilter {`,
        'src/catalogue/list.ts:9:export async function listProducts(filter: ProductFilter)',
        'src/api/products.ts:17:  const filter: ProductFilter = filterOf(query);',
      ]),
      read(
        'All of them are in one file.',
        filterFile,
        `import { sql } from '../database.ts';\n\n/** What a customer chose in the list. */\nexport interface ProductFilter {\n  readonly category?: string;\n  readonly maxPriceCents?: number;\n  readonly inStock?: true;\n}\n\nexport function conditionsOf(filter: ProductFilter): readonly Condition[] {\n  const conditions: Condition[] = [];\n  if (filter.category !== undefined) conditions.push(sql\`category = \${filter.category}\`);\n  if (filter.maxPriceCents !== undefined) conditions.push(sql\`price_cents <= \${filter.maxPriceCents}\`);\n  if (filter.inStock === true) conditions.push(sql\`stock > 0\`);\n  return conditions;\n}`,
      ),
      read(
        `Does a product have its ${what}?`,
        'src/catalogue/product.ts',
        `export interface Product {\n  readonly id: string;\n  readonly name: string;\n  readonly category: string;\n  readonly priceCents: number;\n  readonly stock: number;\n  /** Such as \`${key}\`. */\n  readonly attributes: Readonly<Record<string, string>>;\n}`,
      ),
      edit(
        `It is among the attributes, which are a column of JSON. I add the test first.`,
        'src/catalogue/filters.test.ts',
        "describe('conditions', () => {",
        `describe('conditions', () => {\n  it('keeps products of the chosen ${what}', () => {\n    expect(conditionsOf({ attributes: { '${key}': 'x' } })).toEqual([sql\`attributes ->> '${key}' = \${'x'}\`]);\n  });`,
      ),
      test('It shall fail now.', 'src/catalogue/filters.test.ts', 1, 'AssertionError: expected [] to deeply equal [ Condition{…} ]'),
      edit(
        'Now the condition.',
        filterFile,
        '  return conditions;',
        '  for (const [name, value] of Object.entries(filter.attributes ?? {})) conditions.push(sql`attributes ->> ${name} = ${value}`);\n  return conditions;',
      ),
      edit(
        'And the filter takes it.',
        filterFile,
        '  readonly inStock?: true;',
        '  readonly inStock?: true;\n  readonly attributes?: Readonly<Record<string, string>>;',
      ),
      read(
        'The query string becomes a filter here.',
        'src/api/products.ts',
        `export function filterOf(query: URLSearchParams): ProductFilter {\n  const category = query.get('category') ?? undefined;\n  const inStock = query.has('in-stock') ? true : undefined;\n  return { category, inStock };\n}`,
      ),
      edit(
        `It reads the ${what} too.`,
        'src/api/products.ts',
        '  return { category, inStock };',
        `  const chosen = query.get('${key}');\n  const attributes = chosen === null ? undefined : { '${key}': chosen };\n  return { category, inStock, attributes };`,
      ),
      test('All tests of the catalogue and the API.', 'src/catalogue src/api', 0, ''),
    ],
    done: `The product list can be filtered by ${what}: \`?${key}=\` becomes a condition on the attributes. A test of the condition failed before and passes now, as do all others.`,
  };
}

function upgradePayment(random: SeededRandom): Task {
  const call = random.pick(['refund', 'capture', 'authorise']);
  return {
    title: `Move ${call} of payments to the new API`,
    topic: `where payments are made, and who calls ${call}`,
    files: ['src/payment/client.ts', `src/payment/${call}.ts`, 'docs/payment-api-v3.md'],
    steps: [
      read(
        'The document of the new version first.',
        'docs/payment-api-v3.md',
        `# Version 3\n\n- Amounts are whole cents; version 2 took decimal texts.\n- Each call has an Idempotency-Key. The same key again returns the first answer.\n- \`POST /v2/${call}\` is \`POST /v3/payments/{id}/${call}\`.\n- 409 means that the payment is in another state; read it again before the next try.`,
      ),
      read(
        `This is ${call} today.`,
        `src/payment/${call}.ts`,
        `import { post } from './client.ts';\n\nexport async function ${call}(payment: Payment, amountCents: number): Promise<void> {\n  await post('/v2/${call}', { payment: payment.id, amount: (amountCents / 100).toFixed(2) });\n}`,
      ),
      read(
        'And the client.',
        'src/payment/client.ts',
        `export async function post(path: string, body: object, headers: Record<string, string> = {}): Promise<unknown> {\n  const response = await fetch(base + path, { method: 'POST', headers: { ...headers, authorization }, body: JSON.stringify(body) });\n  if (!response.ok) throw new PaymentError(response.status, await response.text());\n  return response.json();\n}`,
      ),
      search('Who calls it, and can one call be made twice?', `${call}\\(`, 'src', [
        `src/orders/settle.ts:41:    await ${call}(payment, order.totalCents);`,
        `src/jobs/retry-payments.ts:18:    await ${call}(payment, due.amountCents);`,
      ]),
      edit(
        'The job repeats calls, so the key must be that of the order and not a random one.',
        `src/payment/${call}.ts`,
        `  await post('/v2/${call}', { payment: payment.id, amount: (amountCents / 100).toFixed(2) });`,
        `  const key = \`\${payment.orderId}-${call}-\${amountCents}\`;\n  await post(\`/v3/payments/\${payment.id}/${call}\`, { amount: amountCents }, { 'idempotency-key': key });`,
      ),
      edit(
        'A test that the second call has the same key.',
        `src/payment/${call}.test.ts`,
        `describe('${call}', () => {`,
        `describe('${call}', () => {\n  it('repeats its key, so that money moves once', async () => {\n    await ${call}(payment, 1999);\n    await ${call}(payment, 1999);\n    expect(new Set(calls.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);\n  });`,
      ),
      test(
        'The tests of payments.',
        'src/payment',
        1,
        `AssertionError: expected '/v3/payments/p_1/${call}' to be '/v2/${call}'\n  at src/payment/${call}.test.ts:31:20`,
      ),
      edit(
        'That one names the old address, as it should no longer.',
        `src/payment/${call}.test.ts`,
        `'/v2/${call}'`,
        `'/v3/payments/p_1/${call}'`,
      ),
      test('Again.', 'src/payment', 0, ''),
      test('And everything.', '.', 0, ''),
    ],
    done: `${call} uses version 3: whole cents, the new address, and a key made of order and amount, so that a repeated call moves money once. All tests pass; the sandbox was not called.`,
  };
}

function priceCache(random: SeededRandom): Task {
  const seconds = random.pick(['30', '60', '300']);
  return {
    title: `Keep prices in a cache for ${seconds} seconds`,
    topic: 'where prices are read from the database',
    files: ['src/catalogue/prices.ts', 'src/catalogue/prices.test.ts', 'src/cache.ts'],
    steps: [
      search('Where are prices read?', 'FROM prices', 'src', [
        'src/catalogue/prices.ts:12:  const rows = await database.all(sql`SELECT * FROM prices WHERE product = ${id}`);',
      ]),
      read(
        'One place. I read it whole.',
        'src/catalogue/prices.ts',
        `import { database, sql } from '../database.ts';\n\nexport interface Price {\n  readonly product: string;\n  readonly cents: number;\n  readonly from: string;\n}\n\n/** The price that holds now. @throws NotFound */\nexport async function priceOf(id: string): Promise<Price> {\n  const rows = await database.all(sql\`SELECT * FROM prices WHERE product = \${id}\`);\n  const [price] = rows.filter(({ from }) => from <= now());\n  if (price === undefined) throw new NotFound('price', id);\n  return price;\n}`,
      ),
      read(
        'There is a cache that others use.',
        'src/cache.ts',
        `/** Keeps values for a while. The oldest goes first when it is full. */\nexport class Cache<Value> {\n  constructor(private readonly options: { readonly seconds: number; readonly max: number }) {}\n  async get(key: string, make: () => Promise<Value>): Promise<Value> { … }\n  delete(key: string): void { … }\n}`,
      ),
      search('A price that changes must leave the cache at once. Who writes prices?', 'INTO prices', 'src', [
        'src/admin/set-price.ts:20:  await database.run(sql`INSERT INTO prices ${values}`);',
      ]),
      edit(
        'I cache the rows, not the choice, so that a price that begins meanwhile holds on time.',
        'src/catalogue/prices.ts',
        '  const rows = await database.all(sql`SELECT * FROM prices WHERE product = ${id}`);',
        `  const rows = await rowsOfPrices.get(id, () => database.all(sql\`SELECT * FROM prices WHERE product = \${id}\`));`,
      ),
      edit(
        'The cache itself.',
        'src/catalogue/prices.ts',
        '/** The price that holds now. @throws NotFound */',
        `const rowsOfPrices = new Cache<readonly Price[]>({ seconds: ${seconds}, max: 10_000 });\n\nexport function forgetPrice(id: string): void {\n  rowsOfPrices.delete(id);\n}\n\n/** The price that holds now. @throws NotFound */`,
      ),
      edit(
        'Whoever sets a price forgets the old one.',
        'src/admin/set-price.ts',
        '  await database.run(sql`INSERT INTO prices ${values}`);',
        '  await database.run(sql`INSERT INTO prices ${values}`);\n  forgetPrice(values.product);',
      ),
      test('The tests of both folders.', 'src/catalogue src/admin', 0, ''),
      run(
        'Is it faster? The benchmark of the list says.',
        'npm run bench -- product-list',
        'before   p50 18.2 ms   p95 44.0 ms\nafter    p50  2.1 ms   p95  6.3 ms\n1,000 calls, 200 products',
      ),
    ],
    done: `Prices are cached for ${seconds} seconds by product, and setting one removes it from the cache. The product list went from 18.2 to 2.1 ms at the median. All tests of catalogue and admin pass.`,
  };
}

/** The ordinary session of that name: it reads the query before it measures. */
function slowExport(random: SeededRandom): Task {
  const rows = random.between(38, 52) * 1000;
  return {
    title: slowExportTitle,
    topic: 'how the nightly export reads and writes its rows',
    files: ['src/export/nightly.ts', 'src/export/rows.ts', 'src/export/nightly.test.ts'],
    steps: [
      read('I begin with the export itself.', 'src/export/nightly.ts', nightlyCode),
      search('For each order it asks for the customer. How?', 'loadCustomer', 'src', [
        'src/export/nightly.ts:9:    const customer = await loadCustomer(order.customerId);',
        'src/export/rows.ts:3:export async function loadCustomer(id: string): Promise<Customer> {',
      ]),
      read(
        'One query for each row, it seems.',
        'src/export/rows.ts',
        `import { database, sql } from '../database.ts';\n\nexport async function loadCustomer(id: string): Promise<Customer> {\n  return database.one(sql\`SELECT * FROM customers WHERE id = \${id}\`);\n}`,
      ),
      run(
        'I measure before I change anything.',
        'node scripts/export.js --dry-run --profile',
        `${rows} rows, ${rows + 1} queries, 412 s\n  91 %  database.one (loadCustomer)\n   5 %  writeLine\n   2 %  database.stream`,
      ),
      edit(
        '91 per cent of the time is that query. I join the customers instead.',
        'src/export/nightly.ts',
        '  for await (const order of database.stream(sql`SELECT * FROM orders WHERE day = ${day}`)) {\n    const customer = await loadCustomer(order.customerId);',
        '  for await (const { customer, ...order } of database.stream(sql`SELECT * FROM orders JOIN customers ON customers.id = orders.customer_id WHERE day = ${day}`)) {',
      ),
      test('The tests of the export.', 'src/export', 0, ''),
      run(
        'And the same measurement again.',
        'node scripts/export.js --dry-run --profile',
        `${rows} rows, 1 query, 31 s\n  58 %  writeLine\n  33 %  database.stream`,
      ),
    ],
    done: `The nightly export asked the database once for each of ${rows} orders; 91 per cent of its time was that. It reads orders and customers with one query now and takes 31 s in place of 412 s.`,
  };
}

const slowExportTitle = 'Find out why the nightly export is slow';

const nightlyCode = `import { database, sql } from '../database.ts';\nimport { loadCustomer } from './rows.ts';\nimport { writeLine } from './file.ts';\n\n/** Writes the orders of a day with their customers. */\nexport async function exportDay(day: string, batch = 100): Promise<number> {\n  let written = 0;\n  for await (const order of database.stream(sql\`SELECT * FROM orders WHERE day = \${day}\`)) {\n    const customer = await loadCustomer(order.customerId);\n    await writeLine({ ...order, customer }, batch);\n    written += 1;\n  }\n  return written;\n}`;

const tasks = [flakyTest, newFilter, upgradePayment, priceCache, slowExport] as const;

export function agentTask(random: SeededRandom): Task {
  return random.pick<(random: SeededRandom) => Task>(tasks)(random);
}

/** It tries one size of batch after the other, and reads a long profile each time, before it looks at the query. */
export function runawayTask(random: SeededRandom, turns: number): Task {
  const tries: readonly Step[] = Array.from({ length: turns - 2 }, (_, index) => profiled(random, (index % 31) * 50 + 50, index >= 31));
  return {
    title: slowExportTitle,
    topic: 'how the nightly export reads and writes its rows',
    files: ['src/export/nightly.ts'],
    steps: [
      read('I begin with the export itself. It writes in batches, so their size may be wrong.', 'src/export/nightly.ts', nightlyCode),
      ...tries,
    ],
    done: 'No size of batch makes the nightly export faster: each run takes about 412 s. The time is in loadCustomer, which asks the database once for each row. I have changed nothing; a join of orders and customers should mend it.',
  };
}

function profiled(random: SeededRandom, batch: number, isAgain: boolean): Step {
  const seconds = 405 + random.between(0, 140) / 10;
  const thought = isAgain
    ? `The times are within the noise. I measure batches of ${batch} once more to be sure.`
    : `Batches of ${batch} may be better. I run the export with that size and the whole profile.`;
  const functions = [
    'database.one (loadCustomer)',
    'writeLine',
    'database.stream',
    'JSON.stringify',
    'socket.write',
    'gc',
    'parseRow',
    'zlib.write',
  ];
  const samples = Array.from({ length: 30 }, (_, index) => {
    const name = functions[index % 3 === 0 ? 0 : random.between(1, functions.length - 1)] ?? '';
    return `${String(index * 14).padStart(4)} s  ${String(random.between(60, 99)).padStart(3)} %  ${name.padEnd(28)} heap ${random.between(180, 420)} MB  rows ${index * 1504}`;
  });
  return run(
    thought,
    `node scripts/export.js --dry-run --profile=full --batch ${batch}`,
    `batch ${batch}: 45120 rows, 45121 queries, ${seconds.toFixed(1)} s\n${samples.join('\n')}`,
  );
}
