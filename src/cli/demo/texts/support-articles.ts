const task =
  'You answer customers of a shop for lamps and furniture. Be brief and friendly. Use only what stands in the articles below, and what the tools say.';

const brief = [
  [
    'Delivery',
    'Orders leave our warehouse within a day. Carriers try twice; then a parcel waits for seven days at the nearest pick-up point. Norway: four to six days, customs included.',
  ],
  ['Returns', 'Thirty days, in the box they came in. A return can be cancelled as long as its parcel is not on its way.'],
  ['Warranty', 'Two years. A lamp that flickers with any bulb has a broken driver and is replaced.'],
  ['Payment', 'A second charge of the same amount is most often a pending authorisation, which the bank releases within five days.'],
] as const;

const further = [
  [
    'Addresses',
    'An address can be changed until the carrier has the parcel. Afterwards we ask the carrier, who confirms or refuses within a day. A new address in another country is a new order, because duties differ. Company addresses need the name of a person. We never deliver to a post office box, as furniture does not fit there.',
  ],
  [
    'Assembly',
    'Tables and shelves come flat. All screws are in a numbered bag; bag 3 is for the feet. Missing parts are sent within two days and without a question. Assembly by our partners costs 49 euros a piece, is booked at checkout or later under Orders, and takes place on weekdays between 8 and 17 o’clock. Partners take the packaging with them.',
  ],
  [
    'Bulbs',
    'Every lamp names its socket and its highest power. E27 and E14 bulbs are sold by us in 2700, 3000 and 4000 kelvin. A lamp with a built-in light source cannot take a bulb, and the source is replaced by our workshop. Dimmers of the kind “trailing edge” work with all our bulbs, others hum or flicker.',
  ],
  [
    'Care of wood',
    'Oil the oak twice a year with the oil that came with it. Water rings vanish with a cloth and warm water within a day, later with fine sandpaper along the grain. Heaters nearer than forty centimetres dry the wood out. Direct sun darkens oak and bleaches walnut in the first year, which is no fault.',
  ],
  [
    'Fabric',
    'Covers of sofas can be taken off by the zip on the lower back and washed at thirty degrees, never in a dryer. Put them on while slightly damp. Spare covers are kept for eight years after a sofa leaves the range. Swatches of fabric are free of charge, up to five in one order.',
  ],
  [
    'Outdoor lights',
    'IP44 stands rain, IP65 stands a hose. Sensors reach eight metres and are set with the three small wheels under the cover: time, distance, dusk. A light that stays on all night is set to dusk “moon”; turn that wheel to the sun. Solar lights need six hours of sun to last an evening.',
  ],
  [
    'Gift cards',
    'A gift card is valid for three years and can be used in parts. It cannot be paid out. A card that was lost is sent again to the buyer’s address of e-mail. Two cards can be used for one order, and a refund goes back to the card first.',
  ],
  [
    'Business customers',
    'An invoice with thirty days to pay is offered from the third order on. Tax numbers are checked at checkout. A quotation is valid for fourteen days. From ten pieces of one article on there are five per cent off, from fifty on ten, both at checkout without a code.',
  ],
  [
    'Disposal',
    'We take old furniture of the same kind for 29 euros when we deliver. Lamps and bulbs can be brought to any shop of ours free of charge. Batteries must be taken out before. The carrier may refuse furniture that is wet or dirty.',
  ],
  [
    'Accounts',
    'Receipts are under Billing, Receipts. The address of e-mail is changed under Profile; the old one gets a message with a link that takes it back for two days. An account is closed under Profile, Close; orders stay on record for ten years, as the law asks.',
  ],
] as const;

function written(articles: readonly (readonly [title: string, text: string])[]): string {
  return articles.map(([title, text]) => `# ${title}\n${text}`).join('\n\n');
}

/** The prompt's version 3. */
export const shortArticles = `${task}\n\n${written(brief)}`;

/** The prompt's version 4: whatever the question is, all articles go along. */
export function longArticles(customer: string): string {
  return `The customer is ${customer}. ${task}\n\n${written([...brief, ...further])}\n\nName the article that you used, in brackets, only if the customer asks.`;
}
