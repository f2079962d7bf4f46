import fc from 'fast-check';

// The tests of a change must not fail by chance.
fc.configureGlobal({ seed: 7 });

export default fc;
