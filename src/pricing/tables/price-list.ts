/** The public list in use: its package, its version and the day (UTC) on which the registry got it. */
export const priceList = { package: '@pydantic/genai-prices', version: '0.1.8', published: '2026-09-23' } as const;

/** As a price names it. */
export const listSource = `${priceList.package} ${priceList.version} of ${priceList.published}`;
