// Empty on purpose: the icons come from a font; the script that this replaces weighs 1.5 MB.
