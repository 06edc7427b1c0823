//! Go of any size from 2 to 19.
