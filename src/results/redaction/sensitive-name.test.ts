import { describe, expect, it } from 'vitest';
import { kindOfName } from './sensitive-name.ts';

const none: ReadonlySet<string> = new Set();

describe('a name', () => {
  it.each(
    'password DB_PASSWORD dbPassword user-password PGPASSWORD passwd pwd old_password passphrase smtp_pass requirepass'.split(
      ' ',
    ),
  )('%s is that of a password', (name) => {
    expect(kindOfName(name, none)).toBe('password');
  });

  it.each(
    'secret clientSecret token access_token authToken _authToken X-Api-Key apikey APIKey AWS_SECRET_ACCESS_KEY privateKey SECRET_KEY_BASE API_KEY_2 JSESSIONID accountKey'.split(
      ' ',
    ),
  )('%s is that of a secret', (name) => {
    expect(kindOfName(name, none)).toBe('secret');
  });

  it.each(
    'key primaryKey cache_key public_key max_tokens token_count tokenizer tokens nextPageToken page_token progressToken eos_token token_type token_url password_hash passwordResetUrl forgot_password has_password secretName secret_id monkey compass bypass passport keyboard'.split(
      ' ',
    ),
  )('%s is neither', (name) => {
    expect(kindOfName(name, none)).toBeUndefined();
  });

  it('is what an operator says it is, in any spelling', () => {
    expect(kindOfName('PatientId', new Set(['patientid']))).toBe('password');
    expect(kindOfName('patient-id', new Set(['patientid']))).toBe('password');
    expect(kindOfName('patient', new Set(['patientid']))).toBeUndefined();
  });
});
