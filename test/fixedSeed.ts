import fc from 'fast-check';

// Tests must not fail at random.
fc.configureGlobal({ seed: 7 });

export default fc;
