"""What makes a site, lectures and question banks of the course."""
