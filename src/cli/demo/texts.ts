/** A conversation of a support desk: what a customer asks and what the assistant answers, turn by turn. */
export const supportTalks = [
  [
    [
      'Where is my order 48213? It was to arrive on Monday.',
      'It left our warehouse on Sunday and is with the carrier in Leipzig. The new date is Wednesday before noon.',
    ],
    [
      'Can you send it to my office instead?',
      'Yes. I have asked the carrier to change the address; you get a message as soon as it is confirmed.',
    ],
    ['Thanks. And if nobody is there?', 'The driver tries twice. After that the parcel waits for seven days at the nearest pick-up point.'],
  ],
  [
    [
      'I was charged twice for my subscription.',
      'I see two charges of 19 euros on the third. The second one is a pending authorisation, which your bank releases by Friday.',
    ],
    ['I would like a receipt for the first one.', 'I have sent it to the address of your account. It is also under Billing, Receipts.'],
  ],
  [
    [
      'How do I cancel a return?',
      'Open the return in your account and choose Cancel. As long as the parcel is not on its way, nothing else is needed.',
    ],
    ['The button is grey.', 'Then the label was already printed. I have cancelled it for you; please do not use the label.'],
  ],
  [
    ['The lamp I got flickers.', 'I am sorry about that. Does it flicker with another bulb as well?'],
    ['Yes, with two others.', 'Then it is the driver. I can send you a new lamp today, and you return the old one in the same box.'],
    ['That works for me.', 'It is on its way. You get the number of the parcel by e-mail tonight.'],
  ],
  [['Do you ship to Norway?', 'We do. Delivery takes four to six days, and customs is included in the price at checkout.']],
] as const;

export const supportSystem =
  'You answer customers of a shop for lamps and furniture. Be brief and friendly. Use only what stands in the articles below.\n\n' +
  '# Delivery\nOrders leave within a day. Carriers try twice.\n\n# Returns\nThirty days, in the box they came in.\n\n' +
  '# Warranty\nTwo years. A lamp that flickers with any bulb has a broken driver and is replaced.';

export const searchQueries = [
  'lamp for a small desk',
  'oak table 120 cm',
  'chair that fits under a low table',
  'outdoor light with sensor',
  'shelf without drilling',
  'bulb e27 warm white',
  'sofa for two, washable cover',
] as const;

export const agentTasks = [
  'Fix the flaky test of the checkout total',
  'Move the price cache to Redis',
  'Add a filter by colour to the product list',
  'Upgrade the payment client to the new API',
  'Find out why the nightly export is slow',
] as const;

/** Steps of an agent: where it stands in the tree, which tool it calls, and what comes back. */
export const agentSteps = [
  { path: '/plan', tool: 'list_files', input: { folder: 'src/checkout' }, output: 'cart.ts\ntotal.ts\ntotal.test.ts\ndiscount.ts' },
  {
    path: '/plan/read',
    tool: 'read_file',
    input: { path: 'src/checkout/total.ts' },
    output: 'export function total(items, discount) {\n  return items.reduce((sum, item) => sum + item.price, 0) - discount;\n}',
  },
  {
    path: '/plan/read',
    tool: 'read_file',
    input: { path: 'src/checkout/total.test.ts' },
    output: "it('adds up', async () => {\n  expect(await total(items)).toBe(119.98);\n});",
  },
  { path: '/edit', tool: 'edit_file', input: { path: 'src/checkout/total.ts', change: 'round to cents' }, output: 'changed 3 lines' },
  { path: '/test', tool: 'run_tests', input: { files: 'src/checkout' }, output: '11 passed, 1 failed: adds up' },
  { path: '/edit', tool: 'edit_file', input: { path: 'src/checkout/total.test.ts', change: 'use toBeCloseTo' }, output: 'changed 1 line' },
  { path: '/test', tool: 'run_tests', input: { files: 'src/checkout' }, output: '12 passed' },
  { path: '/review', tool: 'diff', input: {}, output: '2 files changed, 4 insertions, 4 deletions' },
] as const;

export const agentThoughts = [
  'The total is a float, so the sum of three prices differs in the last digit. I look at the test first.',
  'The test compares with toBe. I round in the function and keep the test exact.',
  'One test still fails. The discount is applied after rounding; I change the order.',
  'All tests pass. I check what has changed before I finish.',
] as const;

export const reportSections = ['Sales of yesterday', 'Returns by reason', 'Stock that runs low', 'Questions of customers'] as const;
