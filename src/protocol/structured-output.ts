/** Kedi structured output v1, all of it: what others import is named here. */
export { KEDI_STRUCTURED_OUTPUT_URI, kediExtension, type Offer, readOffer } from './kedi-extension.js';
export { findLoss } from './loss-aside.js';
export { losslessInDouble } from './lossless.js';
export { findHiddenLoss, parsedFormIsExact } from './parsed-form.js';
export { readStructuredRequest, writeStructuredRequest } from './structured-request.js';
export { readResult, writeResult } from './structured-result.js';
