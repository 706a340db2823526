import type { SeededRandom } from '../base/seeded-random.ts';

/** What a customer asks, the tool that is asked for it, and the answer. */
export interface Exchange {
  readonly question: string;
  readonly tool?: { readonly name: string; readonly input: object; readonly output: object } | undefined;
  readonly answer: string;
}

const cities = ['Leipzig', 'Rotterdam', 'Lyon', 'Gdansk', 'Malmo', 'Turin'] as const;
const weekdays = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'] as const;
const lamps = ['Alva desk lamp', 'Brisa ceiling lamp', 'Corda floor lamp', 'Duna reading lamp', 'Esker wall light'] as const;
const furniture = ['oak table Fjell', 'shelf Grid', 'sofa Halden', 'chair Isla'] as const;
type Destination = readonly [country: string, time: string, customs: string];

const countries: readonly [Destination, ...Destination[]] = [
  ['Norway', 'four to six days', 'customs is included in the price at checkout'],
  ['Switzerland', 'three to five days', 'customs is included in the price at checkout'],
  ['Spain', 'four to seven days', 'there is no customs within the European Union'],
];

type Talk = (random: SeededRandom, customer: string) => readonly Exchange[];

const whereIsIt: Talk = (random) => {
  const order = String(random.between(41_000, 58_999));
  const city = random.pick(cities);
  const day = random.between(0, 3);
  const [promised, expected] = [weekdays[day], weekdays[day + 1]] as const;
  return [
    {
      question: `Where is my order ${order}? It was to arrive on ${promised}.`,
      tool: {
        name: 'find_order',
        input: { order },
        output: { order, state: 'with the carrier', place: city, expected: `${expected}, before noon` },
      },
      answer: `Order ${order} has left our warehouse and is with the carrier in ${city}. The new date is ${expected} before noon. I am sorry for the delay.`,
    },
    {
      question: 'Can you send it to my office instead?',
      answer:
        'The carrier has the parcel already, so I have asked them to change the address. They confirm or refuse within a day, and you get a message then.',
    },
    {
      question: 'Thanks. And if nobody is there?',
      answer: 'The driver tries twice. After that the parcel waits for seven days at the nearest pick-up point.',
    },
  ];
};

const chargedTwice: Talk = (random, customer) => {
  const amount = random.pick(['19.00', '34.90', '89.00', '129.00']);
  const day = random.between(2, 24);
  const charges = [
    { day, amount, state: 'booked' },
    { day, amount, state: 'pending' },
  ];
  return [
    {
      question: `I was charged twice, ${amount} euros each time. Why?`,
      tool: { name: 'find_charges', input: { account: customer, month: 'this' }, output: { charges } },
      answer: `I see two entries of ${amount} euros on day ${day} of this month. One is booked, the other is a pending authorisation: your bank releases it within five days, and you are not charged a second time.`,
    },
    {
      question: 'I would like a receipt for the booked one.',
      answer: `I have sent the receipt for ${amount} euros to the address of your account. It is also under Billing, Receipts.`,
    },
  ];
};

const cancelReturn: Talk = (random) => {
  const item = random.pick(furniture);
  return [
    {
      question: `I changed my mind and want to keep the ${item}. How do I cancel the return?`,
      answer: `Open the return of the ${item} in your account and choose Cancel. As long as its parcel is not on its way, nothing else is needed.`,
    },
    {
      question: 'The button is grey.',
      answer: 'Then the label was already printed. I have cancelled the return for you; please do not use the label.',
    },
  ];
};

const flickers: Talk = (random) => {
  const lamp = random.pick(lamps);
  return [
    { question: `My ${lamp} flickers.`, answer: `I am sorry to hear that. Does the ${lamp} flicker with another bulb as well?` },
    {
      question: 'Yes, with two others.',
      answer:
        'Then its driver is broken, which the warranty of two years covers. I can send you a new lamp today, and you return the old one in the same box.',
    },
    {
      question: 'That works for me.',
      answer: `Good: a new ${lamp} leaves our warehouse today. You get the number of the parcel by e-mail tonight.`,
    },
  ];
};

const ships: Talk = (random) => {
  const [country, time, customs] = random.pick(countries);
  return [{ question: `Do you ship to ${country}?`, answer: `We do. Delivery to ${country} takes ${time}, and ${customs}.` }];
};

const broken: Talk = (random) => {
  const item = random.pick(furniture);
  const order = String(random.between(41_000, 58_999));
  return [
    {
      question: `The ${item} of order ${order} came with a scratch. What now?`,
      tool: { name: 'find_order', input: { order }, output: { order, state: 'delivered', items: [item], returnable: true } },
      answer: `I am sorry about that. The order was delivered and can be returned: you may keep the ${item} for a fifth less, or we fetch it and send another one. Which do you prefer?`,
    },
    {
      question: random.chance(0.5) ? 'I keep it for less.' : 'Please send another one.',
      answer: `Done; you get a message about the ${item} within the hour. There is nothing else that you need to do.`,
    },
  ];
};

const warranty: Talk = (random) => {
  const lamp = random.pick(lamps);
  return [
    {
      question: `How long is the warranty of the ${lamp}?`,
      answer: `Two years from the day it arrived. If the ${lamp} flickers with any bulb in that time, we replace it.`,
    },
  ];
};

const talks = [whereIsIt, chargedTwice, cancelReturn, flickers, ships, broken, warranty] as const;

export function supportTalk(random: SeededRandom, customer: string): readonly Exchange[] {
  return random.pick<Talk>(talks)(random, customer);
}
