/** Schemas to begin with: what they are called, the schema as text, and a request that goes with it. */
export const examples = [
  {
    name: 'A person',
    prompt: 'Invent a person.',
    schema: `{
  "type": "object",
  "properties": {
    "name": { "type": "string", "minLength": 1 },
    "age": { "type": "integer", "minimum": 0, "maximum": 150 },
    "email": { "type": "string" }
  },
  "required": ["name", "age"],
  "additionalProperties": false
}`,
  },
  {
    name: 'An exact number',
    prompt: 'Which id does the record have?',
    schema: `{
  "type": "object",
  "properties": {
    "id": { "type": "integer", "const": 9007199254740993 },
    "price": { "type": "number", "multipleOf": 0.01, "minimum": 0.05 }
  },
  "required": ["id", "price"],
  "additionalProperties": false
}`,
  },
  {
    name: 'A choice',
    prompt: 'How do people feel about rain?',
    schema: `{
  "type": "object",
  "properties": {
    "feeling": { "enum": ["happy", "sad", "indifferent"] },
    "confidence": { "type": "number", "minimum": 0, "maximum": 1 },
    "why": { "type": "string" }
  },
  "required": ["feeling", "confidence"],
  "additionalProperties": false
}`,
  },
  {
    name: 'A list with references',
    prompt: 'Plan a birthday in three steps.',
    schema: `{
  "type": "object",
  "properties": {
    "title": { "type": "string" },
    "steps": { "type": "array", "items": { "$ref": "#/$defs/step" }, "minItems": 3, "maxItems": 3 }
  },
  "required": ["title", "steps"],
  "additionalProperties": false,
  "$defs": {
    "step": {
      "type": "object",
      "properties": {
        "do": { "type": "string" },
        "minutes": { "type": "integer", "minimum": 1 }
      },
      "required": ["do", "minutes"],
      "additionalProperties": false
    }
  }
}`,
  },
  {
    name: 'Anything at all',
    prompt: 'Answer with any JSON value.',
    schema: 'true',
  },
];
